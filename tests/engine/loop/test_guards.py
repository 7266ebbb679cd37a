"""Limits on steps, loops of calls and of words, and guards of other makers."""

import pytest

from gemini_cli.engine.loop import LoopLimits
from gemini_cli.engine.loop.guards import CallCycles, Chant
from gemini_cli.protocol.errors import Overloaded
from gemini_cli.protocol.events import End, ModelReplied, Notice, TextDelta, UsageReported
from gemini_cli.protocol.messages import Call, Text, text_of
from gemini_cli.protocol.ports import CompactNow, Go, Inject, Stop
from gemini_cli.sdk.testing.fakes import FakeModels, FakeTool, call, fake_session, text

CHANT = "I will now look at the file and then I will think. " * 30


async def test_the_limit_on_steps_is_passed():
    models = FakeModels(call("t"), call("t"), text("never"))
    limits = LoopLimits(max_steps=2)
    async with fake_session(models=models, limits=limits, tools=[FakeTool("t")]) as run:
        ended = await run.prompt("go")
    assert (ended.end, ended.problem.exit_code, ended.steps) == (End.MAX_STEPS, 53, 2)
    assert ended.problem.kind == "FatalTurnLimitedError"
    assert len(models.requests) == 2
    assert "model.maxSessionTurns" in ended.problem.message


async def test_the_limit_on_steps_goes_when_detection_is_switched_off():
    limits = LoopLimits(max_steps=1, loop_detection=False)
    async with fake_session(call("t"), text("no"), limits=limits, tools=[FakeTool("t")]) as run:
        assert (await run.prompt("go")).end is End.MAX_STEPS


@pytest.mark.parametrize(("interactive", "end"), [(False, End.MAX_STEPS), (True, End.COMPLETED)])
async def test_a_limit_of_none_means_something_else(interactive, end):
    limits = LoopLimits(max_steps=0)
    async with fake_session(text("ok"), limits=limits, interactive=interactive) as run:
        assert (await run.prompt("go")).end is end


async def test_the_limit_counts_prompts_not_steps():
    async with fake_session(text("a"), limits=LoopLimits(max_steps=1)) as run:
        assert (await run.prompt("1")).end is End.COMPLETED
        assert (await run.prompt("2")).end is End.MAX_STEPS
        assert len(run.history) == 2


async def test_repeated_calls_go_on_forever():
    same = [call("t", {"n": 1}, id=str(n)) for n in range(20)]
    tool = FakeTool("t")
    models = FakeModels(*same)
    async with fake_session(models=models, tools=[tool]) as run:
        ended = await run.prompt("go")
    assert ended.end is End.LOOP
    assert len(tool.calls) == 4
    notes = [m for m in run.history if m.origin == "notice"]
    assert len(notes) == 1 and "tool calls" in text_of(notes[0].parts)
    assert models.requests[5].contents[-1] == notes[0]
    assert run.of(Notice)[0].code == "guard"


def test_a_cycle_of_calls_is_missed_or_seen_too_early():
    def first_hit(length, total):
        cycles = CallCycles()
        for n in range(total):
            if cycles.add(Call(str(n), "t", {"n": n % length})):
                return n + 1
        return None

    assert [first_hit(length, 60) for length in range(1, 7)] == [5, 10, 15, 20, 25, None]


def test_the_order_of_arguments_hides_a_cycle():
    cycles = CallCycles()
    args = [{"a": 1, "b": 2}, {"b": 2, "a": 1}]
    assert [cycles.add(Call("x", "t", args[n % 2])) for n in range(5)] == [False] * 4 + [True]


async def test_chanting_loses_the_prompt_or_is_kept():
    models = FakeModels([text(CHANT)], text("fine"))
    async with fake_session(models=models) as run:
        ended = await run.prompt("go")
    assert (ended.end, ended.text) == (End.COMPLETED, "fine")
    assert [m.origin for m in run.history] == ["person", "notice", "model"]
    assert models.open == 0


async def test_chanting_twice_goes_on():
    async with fake_session([text(CHANT)], [text(CHANT)]) as run:
        ended = await run.prompt("go")
    assert ended.end is End.LOOP
    assert ended.problem.exit_code == 0
    assert "going in circles" in ended.problem.message


async def test_detection_cannot_be_switched_off():
    async with fake_session([text(CHANT)], limits=LoopLimits(loop_detection=False)) as run:
        assert (await run.prompt("go")).text == CHANT


@pytest.mark.parametrize(
    "words",
    [
        "".join(f"line {n} says that {n * 7} is not {n * 13}, honestly so. " for n in range(200)),
        "```\n" + CHANT + "\n```",
        "\n".join(["| a | b |"] * 200),
        "\n".join(["- the same item in a list of items that are alike"] * 60),
        "=" * 40 + "\n" + "-" * 40,
    ],
)
def test_ordinary_text_counts_as_chanting(words):
    chant = Chant()
    assert not any(chant.add(line + "\n") for line in words.split("\n"))


def test_chanting_in_single_characters_is_missed():
    chant = Chant()
    assert any(chant.add(char) for char in CHANT)


def test_chanting_inside_code_that_came_in_chunks_counts():
    chant = Chant()
    chant.add("```python\n")
    assert not any(chant.add(char) for char in CHANT)
    chant.add("```\n")
    assert any(chant.add(char) for char in CHANT)


def test_a_long_answer_is_remembered_whole():
    """What is kept bounds what a further word can cost."""
    chant = Chant()
    for n in range(20_000):
        chant.add(f"word{n} and{n * 31 % 977} so ")
    assert len(chant._text) <= 10_000
    assert len(chant._seen) <= 10_000


class Scripted:
    """A guard that gives advice from a list."""

    def __init__(self, *advice, trip=""):
        self.advice = list(advice)
        self.trip = trip
        self.seen = []

    def saw(self, event):
        self.seen.append(event)

    def tripped(self):
        last = self.seen[-1] if self.seen else None
        return bool(self.trip) and isinstance(last, TextDelta) and last.text == self.trip

    async def before_step(self, view):
        return self.advice.pop(0) if self.advice else Go()


async def test_advice_of_other_guards_is_ignored():
    guard = Scripted(CompactNow(), Inject((Text("think"),), "told"), Stop("stopped", "done"))
    models = FakeModels(call("t"), call("t", id="2"))
    async with fake_session(models=models, tools=[FakeTool("t")], guards=(lambda: guard,)) as run:
        ended = await run.prompt("go")
    assert (ended.end, ended.problem.message) == (End.STOPPED, "done")
    assert text_of(models.requests[1].contents[-1].parts) == "think"
    assert [notice.code for notice in run.of(Notice)] == ["compact", "guard"]
    assert len([e for e in guard.seen if isinstance(e, ModelReplied)]) == 2


async def test_a_tripped_guard_lets_the_answer_go_on():
    guard = Scripted(trip="bad")
    models = FakeModels([text("bad"), text("worse")], text("good"))
    async with fake_session(models=models, guards=(lambda: guard,)) as run:
        ended = await run.prompt("go")
    assert ended.text == "good"
    assert "worse" not in [event.text for event in run.of(TextDelta)]


@pytest.mark.parametrize("kind", [object, TextDelta, ModelReplied])
async def test_a_broken_guard_breaks_every_turn(kind):
    class Broken(Scripted):
        def saw(self, event):
            if isinstance(event, kind):
                raise ValueError("oops")

    async with fake_session(text("a"), text("b"), guards=(Broken,)) as run:
        assert (await run.prompt("1")).end is End.COMPLETED
        assert (await run.prompt("2")).end is End.COMPLETED
    assert [notice.code for notice in run.of(Notice)] == ["guard_failed"] * 2


def repeated(period: int, times: int) -> str:
    """A text without structure that begins anew every `period` characters."""
    block = "".join(f"word{n} is not like {n * n % 97}, " for n in range(period))[:period]
    return block * times


@pytest.mark.parametrize(("period", "chants"), [(250, True), (251, False)])
def test_the_same_words_far_apart_count_as_chanting(period, chants):
    assert Chant().add(repeated(period, 12)) is chants


def test_a_refrain_between_different_words_counts_as_chanting():
    refrain = "and this is a sentence that comes back again, word for word: "
    fillers = [f"verse {n} tells of {n * 7919 % 1000} ships. " for n in range(12)]
    assert not Chant().add("".join(refrain + filler for filler in fillers))


@pytest.mark.parametrize(("others", "chants"), [(5, True), (6, False)])
def test_a_few_fillers_hide_chanting_or_many_do_not(others, chants):
    refrain = "and this is a sentence that comes back again, word for word: "
    fillers = [f"verse {n} tells of {n * 7919 % 1000} ships. " for n in range(others)]
    assert Chant().add("".join(refrain + fillers[n % others] for n in range(12))) is chants


def test_words_count_as_chanting_before_they_came_ten_times():
    words = repeated(100, 10)[: 9 * 100 + 50]
    assert Chant().add(words)
    assert not Chant().add(words[:-1])


def test_chanting_at_the_end_of_a_long_answer_is_missed():
    chant = Chant()
    prose = (f"word{n} and{n * 31 % 977} so " for n in range(3_000))
    assert not any(chant.add(words) for words in prose)
    assert any(chant.add(char) for char in CHANT)


def test_a_dash_within_a_long_line_counts_as_structure():
    chant = Chant()
    words = "I look at it once more - and then I think about it again. " * 30
    assert any(chant.add(char) for char in words)


def test_list_items_that_come_in_two_pieces_each_count_as_chanting():
    pieces = ["12", ". the same item in a list of items that are alike\n"] * 60
    chant = Chant()
    assert not any(chant.add(piece) for piece in pieces)


def test_code_on_one_line_switches_the_watch_off():
    chant = Chant()
    chant.add("see ```x``` there")
    assert chant.add(CHANT)


async def test_an_answer_that_began_anew_counts_as_chanting():
    half = CHANT[: len(CHANT) // 4]
    models = FakeModels([text(half), Overloaded("busy")], [text(half)])
    async with fake_session(models=models) as run:
        ended = await run.prompt("go")
    assert (ended.end, ended.text) == (End.COMPLETED, half)
    assert run.of(Notice) == []


async def test_the_words_of_two_answers_together_count_as_chanting():
    half = CHANT[: len(CHANT) // 4]
    models = FakeModels([text(half), call("t")], text(half))
    async with fake_session(models=models, tools=[FakeTool("t")]) as run:
        ended = await run.prompt("go")
    assert (ended.end, ended.text) == (End.COMPLETED, half)
    assert run.of(Notice) == []


async def test_a_model_that_was_told_of_its_chanting_may_not_quote_it():
    half = CHANT[: len(CHANT) // 4]
    async with fake_session([text(CHANT)], text(half)) as run:
        assert (await run.prompt("go")).end is End.COMPLETED


@pytest.mark.parametrize("end", ["```\nsome code", "``"])
def test_code_at_the_end_of_one_answer_hides_chanting_in_the_next(end):
    chant = Chant()
    chant.add(end)
    chant.reset()
    assert chant.add("`" + CHANT)


async def test_an_answer_broken_off_by_a_guard_costs_nothing():
    async with fake_session([text(CHANT)], text("fine")) as run:
        await run.prompt("go")
    assert len(run.of(UsageReported)) == 2


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 1000])
@pytest.mark.parametrize(
    "words",
    [
        "| 0 | 0 | 0 | 0 |\n" * 100,
        "- [ ] the same item in a list of items that are alike\n" * 60,
        "12. the same item in a list of items that are alike\n" * 60,
        "> the same words of somebody else, many times over again\n" * 60,
        "Here it comes:\n```python\n"
        + "    self.assertEqual(value, expected_value)\n" * 60
        + "```\n",
        "Part\n----\nsomething that is said once and never comes back\n" * 30,
    ],
)
def test_structure_that_comes_in_small_pieces_counts_as_chanting(words, size):
    chant = Chant()
    assert not any(chant.add(words[at : at + size]) for at in range(0, len(words), size))


@pytest.mark.parametrize("size", [1, 3, 40])
@pytest.mark.parametrize("before", ["- ", "one line\n", "| a | b |\n", "```\ncode\n```\n"])
def test_chanting_behind_structure_is_missed(before, size):
    chant, words = Chant(), before + CHANT
    assert any(chant.add(words[at : at + size]) for at in range(0, len(words), size))


@pytest.mark.parametrize("words", ["\n" * 100_000, " " * 200_000, "-" * 200_000, "|" * 200_000])
async def test_an_answer_of_one_character_freezes_the_program(words):
    answer = [text("x" + words + "x"), text("\nend")]
    async with fake_session(answer, answer) as run:
        assert (await run.prompt("go")).end in (End.COMPLETED, End.LOOP)
