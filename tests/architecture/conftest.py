"""Lets the house tests import their shared reader by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
