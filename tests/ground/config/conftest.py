"""A temporary machine for each test."""

from pathlib import Path

import pytest

from ground.config.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)
