"""Asks: first answer wins, defaults without people, and withdrawing."""

import asyncio

import pytest

from gemini_cli.ground.wire import LocalBus, LocalPeople
from gemini_cli.protocol.events import AskRaised, AskResolved
from gemini_cli.protocol.people import CANCEL, ONCE, Answer, Ask, AskChoice
from gemini_cli.sdk.testing.fakes import FakeClock

ASK = Ask("a1", "approval", "May I?", (AskChoice(ONCE, "Yes"), AskChoice(CANCEL, "No")), CANCEL)


@pytest.fixture
def heard():
    return []


@pytest.fixture
def bus(heard):
    bus = LocalBus("s", FakeClock())
    bus.tap(lambda envelope: heard.append(envelope.event))
    return bus


async def asked(people):
    task = asyncio.ensure_future(people.ask(ASK, agent=("x",)))
    await asyncio.sleep(0)
    return task


async def test_without_people_the_question_hangs(bus, heard):
    people = LocalPeople(bus)
    assert not people.present
    assert await people.ask(ASK) == Answer("a1", CANCEL, by="nobody")
    assert heard == []


async def test_the_first_answer_does_not_close_the_question(bus, heard):
    people = LocalPeople(bus, present=True)
    task = await asked(people)
    assert people.open == (ASK,)
    assert people.answer(Answer("a1", ONCE, by="ide"))
    assert not people.answer(Answer("a1", CANCEL))
    assert (await task) == Answer("a1", ONCE, by="ide")
    assert heard == [AskRaised(ASK), AskResolved(Answer("a1", ONCE, by="ide"))]
    assert people.open == ()


async def test_an_answer_to_nothing_is_taken(bus):
    assert not LocalPeople(bus, present=True).answer(Answer("zzz", ONCE))


async def test_a_cancelled_asker_leaves_its_dialog_open(bus, heard):
    people = LocalPeople(bus, present=True)
    task = await asked(people)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard[-1] == AskResolved(Answer("a1", CANCEL, by="withdrawn"))
    assert not people.answer(Answer("a1", ONCE))


async def test_a_yes_to_one_of_two_questions_with_one_id_is_a_yes_to_both(bus, heard):
    people = LocalPeople(bus, present=True)
    first, second = await asked(people), await asked(people)
    ids = [event.ask.id for event in heard]
    assert ids == ["a1", "a1#2"]
    people.answer(Answer("a1", ONCE))
    assert (await first).choice == ONCE
    assert not second.done()
    people.answer(Answer("a1#2", CANCEL))
    assert (await second).choice == CANCEL


async def test_an_answer_and_a_cancel_in_one_breath_are_both_told(bus, heard):
    people = LocalPeople(bus, present=True)
    task = await asked(people)
    people.answer(Answer("a1", ONCE))
    task.cancel()
    await asyncio.wait([task])
    assert [type(event) for event in heard] == [AskRaised, AskResolved]


async def test_questions_outlive_the_last_face(bus):
    people = LocalPeople(bus)
    one, two = people.attach(), people.attach()
    task = await asked(people)
    one()
    one()
    await asyncio.sleep(0)
    assert people.present and not task.done()
    two()
    assert await task == Answer("a1", CANCEL, by="nobody")
    assert not people.present


async def test_a_yes_to_an_asker_who_was_cancelled_just_now_counts(bus, heard):
    people = LocalPeople(bus, present=True)
    task = await asked(people)
    task.cancel()
    assert not people.answer(Answer("a1", ONCE))
    await asyncio.wait([task])
    assert task.cancelled()
    assert heard[1:] == [AskResolved(Answer("a1", CANCEL, by="withdrawn"))]


@pytest.mark.parametrize("answered", [True, False])
async def test_the_end_of_a_question_is_told_as_another_agents(bus, answered):
    told = []
    bus.tap(lambda envelope: told.append((type(envelope.event), envelope.agent)))
    people = LocalPeople(bus, present=True)
    task = await asked(people)
    people.answer(Answer("a1", ONCE)) if answered else task.cancel()
    await asyncio.wait([task])
    assert told == [(AskRaised, ("x",)), (AskResolved, ("x",))]


async def test_the_last_face_of_several_leaves_people_behind(bus):
    people = LocalPeople(bus, present=True)
    people.attach()()
    assert people.present
