"""What a session says, as the tests compare it."""

from pathlib import Path

from gemini_cli.transcripts import (
    Base64Source,
    ImageBlock,
    LoadOptions,
    load_messages_sync,
)

PICTURE = ImageBlock(Base64Source("aGk=", "image/png"))


def load(tool, path, **options):
    return load_messages_sync(tool, session_path=path, options=LoadOptions(**options))


def said(messages):
    return [(m.role, m.content) for m in messages]


def at(env, *parts):
    return Path(env["HOME"]).joinpath(*parts)
