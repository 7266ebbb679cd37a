"""A conversation as the loop would tell it."""

import itertools

from gemini_cli.engine.sessions import Journal
from gemini_cli.protocol.display import FileDiff, PlainText
from gemini_cli.protocol.events import (
    Envelope,
    Event,
    MessageAdded,
    ModelReplied,
    SessionOpened,
    ToolFinished,
    TurnEnded,
    TurnStarted,
)
from gemini_cli.protocol.messages import Blob, Call, Message, Reply, Text, Usage
from gemini_cli.protocol.mode import Mode

ID = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
AT = "2026-01-02T03:04:05.678Z"


class Story:
    """Publishes events with running numbers, and keeps count of messages."""

    def __init__(self, journal: Journal, session_id: str = ID) -> None:
        self.journal = journal
        self.session_id = session_id
        self.seq = itertools.count(1)
        self.ids = itertools.count(1)
        self.prefix = "m"

    def tell(self, event: Event, *, agent: tuple[str, ...] = (), turn: str | None = "t") -> None:
        at = AT.replace("678", f"{next(self.seq):03}")
        self.journal.append(Envelope(int(at[20:23]), at, self.session_id, turn, agent, event))

    def message(self, role, *parts, **more) -> Message:
        return Message(f"{self.prefix}{next(self.ids)}", role, parts, AT, **more)

    def open(self, source="startup", **more) -> None:
        opened = SessionOpened(self.session_id, "/work", "pro", Mode.DEFAULT, source, **more)
        self.tell(opened)

    def context(self) -> None:
        text = Text("<session_context>\nToday is Friday.\n</session_context>")
        self.tell(MessageAdded(self.message("user", text, origin="context")))

    def prompt(self, text: str, display: str | None = None) -> Message:
        message = self.message("user", Text(text), display=display)
        self.tell(TurnStarted(message))
        return message

    def answer(self, text: str, *calls: Call) -> Message:
        parts = (Text("**Plan**\nThink first.", thought=True), Text(text), *calls)
        usage = Usage(input=10, output=5, cached=2, thoughts=1, tool=0, total=16)
        message = self.message("model", *parts, model="gemini-3-pro", origin="model", usage=usage)
        self.tell(ModelReplied(message))
        return message

    def finish(self, call: Call, text: str, **more) -> Reply:
        reply = Reply(call.id, call.name, (Text(text), *more.pop("blobs", ())))
        more.setdefault("display", PlainText(text))
        self.tell(
            ToolFinished(call, reply, "success", title="a.txt", display_name="ReadFile", **more)
        )
        return reply

    def whole_turn(self) -> None:
        """A prompt, two calls, their results, an answer."""
        one = Call("read_file__1", "read_file", {"file_path": "a.txt"})
        two = Call("replace__2", "replace", {"file_path": "a.txt"})
        self.prompt("look at @a.txt", display="look")
        self.answer("I look. ", one, two)
        self.finish(one, "content", blobs=(Blob("image/png", b"\x89P"),))
        diff = FileDiff("/work/a.txt", "a.txt", "@@", "old", "new")
        self.finish(two, "done", display=diff)
        self.answer("Done.")
        self.tell(TurnEnded("completed"))
