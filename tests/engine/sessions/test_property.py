"""Whatever happens in whatever order, the file holds what the session holds."""

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sessions.story import ID, Story
from engine.sessions.test_goldens import gist
from gemini_cli.engine.sessions import Journal
from gemini_cli.protocol.events import HistoryReplaced, Notice, RolledBack
from gemini_cli.protocol.messages import Call, Message, Text, replies_of

MOVES = st.lists(
    st.tuples(
        st.sampled_from(["prompt", "answer", "work", "notice", "back", "replace", "resume"]),
        st.integers(0, 5),
    ),
    max_size=14,
)


class Model:
    """The history as the loop would keep it, with the replies as messages of their own."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.history: list[Message] = []
        self.told: list[str] = []
        self.calls = 0

    def prompt(self, _: int) -> None:
        self.history.append(self.story.prompt(f"prompt {len(self.history)}"))

    def answer(self, _: int) -> None:
        self.history.append(self.story.answer("answer"))

    def work(self, number: int) -> None:
        """An answer with calls, all of which are done."""
        calls = []
        for _ in range(1 + number % 3):
            self.calls += 1
            calls.append(Call(f"t__{self.calls}", "t", {"n": self.calls}))
        answer = self.story.answer("", *calls)
        replies = tuple(self.story.finish(call, f"result {call.id}") for call in calls)
        reply = Message(f"{answer.id}_response", "user", replies, "", origin="tool")
        self.history += [answer, reply]

    def notice(self, _: int) -> None:
        if self.history:
            self.told.append(f"notice {len(self.told)}")
            self.story.tell(Notice("info", self.told[-1]))

    def back(self, number: int) -> None:
        """The end is taken back; the loop knows replies under ids of its own."""
        mark = self._mark(number)
        dropped = self.history[mark:]
        ids = tuple("own" if replies_of(m.parts) else m.id for m in dropped)
        if ids:
            self.story.tell(RolledBack(ids))
        del self.history[mark:]

    def replace(self, number: int) -> None:
        mark = self._mark(number)
        if not self.history:
            return
        summary = self.story.message("user", Text("summary"), origin="context")
        self.history = [summary, *self.history[mark:]]
        self.story.tell(HistoryReplaced(tuple(self.history), "compact"))

    def _mark(self, number: int) -> int:
        """A place that does not tear replies from their calls."""
        mark = max(len(self.history) - number, 0)
        if mark < len(self.history) and replies_of(self.history[mark].parts):
            mark -= 1
        return mark


@settings(max_examples=120, deadline=None)
@given(moves=MOVES)
def test_the_file_holds_what_the_session_holds(tmp_path_factory, moves):
    chats = tmp_path_factory.mktemp("chats")
    warnings: list[str] = []
    journal = Journal(chats, "/work", warnings.append, lambda: "fresh")
    model = Model(Story(journal))
    model.story.open()
    model.prompt(0)
    for move, number in moves:
        if move == "resume":
            journal.close()
            journal = model.story.journal = Journal(chats, "/work", warnings.append, str)
            model.story.open("resume")
        else:
            getattr(model, move)(number)
    record = journal.load(ID)
    assert gist(record.messages) == gist(model.history)
    assert warnings == []
    assert told(Path(journal.path(ID))) == model.told
    journal.close()


def told(path: Path) -> list[str]:
    """The notices that remain, each once."""
    held: dict[str, str] = {}
    for line in path.read_text().splitlines():
        record = json.loads(line)
        if "$rewindTo" in record:
            names = list(held)
            start = names.index(record["$rewindTo"]) if record["$rewindTo"] in held else 0
            for name in names[start:]:
                del held[name]
        elif "$set" in record and "messages" in record["$set"]:
            held = {
                m["id"]: m.get("type", "") + str(m["content"]) for m in record["$set"]["messages"]
            }
        elif "id" in record:
            held[record["id"]] = record["type"] + str(record["content"])
    return [text.removeprefix("info") for text in held.values() if text.startswith("info")]
