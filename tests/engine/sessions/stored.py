"""What lies on disk after a story: its lines, and what remains of them."""

import json
from pathlib import Path

from engine.sessions.story import ID, Story
from gemini_cli.ground.formats.session_file import replay


def lines(story: Story) -> list[dict]:
    return [json.loads(line) for line in Path(story.journal.path(ID)).read_text().splitlines()]


def remaining(story: Story) -> list[dict]:
    return replay(iter(lines(story)))[1]
