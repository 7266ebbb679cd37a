"""The tool `replace`: works out an edit, shows it as a diff, and writes it.

The edit is worked out again when it runs, because the file may have changed while a person
was looking. It never decides whether an edit may happen.
"""

import asyncio
from pathlib import Path

import msgspec

from gemini_cli.engine.tools.args import Param, checked, schema_of
from gemini_cli.engine.tools.edit import diff
from gemini_cli.engine.tools.edit.file import TextFile, load, missing_file, shown
from gemini_cli.engine.tools.edit.place import place_of
from gemini_cli.engine.tools.edit.placeholders import omissions
from gemini_cli.engine.tools.edit.strategies import Replaced, replace
from gemini_cli.engine.tools.texts import texts_of
from gemini_cli.ground.host.encoding import unix_newlines
from gemini_cli.protocol.display import EditPreview, FileDiff, Location, Preview
from gemini_cli.protocol.errors import InvalidArgs, ToolProblem
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.people import Answer, Ask
from gemini_cli.protocol.tools import Family, Invocation, Kind, Tool, ToolContext, ToolResult, said

PARAMS = (
    Param("file_path", required=True),
    Param("instruction", required=True, forgiven=True),
    Param("old_string", required=True),
    Param("new_string", required=True),
    Param("allow_multiple", "boolean", aliases=("replace_all",)),
)
OLD_PARAMS = (Param("expected_replacements", "integer"),)
PREVIEWED = ("Current", "Proposed")
WRITTEN = ("Original", "Written")


class Replace:
    """Replaces text in files of the workspace; in plan mode, of the folder `plans` only."""

    name = "replace"
    kind: Kind = "edit"
    parallel = False
    read_only = False
    display_name = "Edit"
    server: str | None = None

    def __init__(self, plans: Path | None = None, *, for_plans: bool = False) -> None:
        self._plans = plans
        self._for_plans = for_plans

    def for_plans(self) -> Tool:
        """The tool as it is offered in plan mode."""
        return Replace(self._plans, for_plans=True)

    def canonical(self, args: JsonObject) -> JsonObject:
        """The arguments under their present names."""
        return checked(PARAMS, args)

    def declaration(self, family: Family) -> JsonObject:
        texts = texts_of(self.name, family, "edit")
        description = texts.description
        if self._for_plans:
            description = f"{texts_of('replace.plan', family, 'edit').description}\n\n{description}"
        return {
            "name": self.name,
            "description": description,
            "parametersJsonSchema": schema_of(PARAMS, texts.params),
        }

    def prepare(self, args: JsonObject) -> Invocation:
        known = checked(OLD_PARAMS, checked(PARAMS, args))
        if not known["file_path"].strip():
            raise InvalidArgs("params/file_path must not be empty")
        old, new = unix_newlines(known["old_string"]), unix_newlines(known["new_string"])
        if known.get("modified_by_user") is True:
            proposed = known.get("ai_proposed_content")
            wish = Wish(old, new, by_hand=str(proposed or ""))
            return Editing(known["file_path"], wish, self._plans)
        left_out = omissions(new) - omissions(old)
        if left_out:
            raise InvalidArgs(
                f'params/new_string leaves out code ("{min(left_out)} ..."). '
                "Write out everything that is to stand in the file."
            )
        multiple = known.get("allow_multiple", False) or known.get("expected_replacements", 1) > 1
        return Editing(known["file_path"], Wish(old, new, multiple), self._plans)


class Wish(msgspec.Struct, frozen=True):
    """What is to be replaced by what. With `by_hand`, a person rewrote that proposal.

    Then `old` and `new` are the whole file before and after.
    """

    old: str
    new: str
    multiple: bool = False
    by_hand: str | None = None


class Proposal(msgspec.Struct, frozen=True):
    """An edit that is worked out and not yet made."""

    file: TextFile
    outcome: Replaced
    by_hand: str | None = None
    """What a person made of it."""

    @property
    def final(self) -> str:
        """The text to write."""
        return self.outcome.text if self.by_hand is None else self.by_hand

    def display(self, labels: tuple[str, str]) -> FileDiff:
        """The change for a person."""
        before, proposed = shown(self.file.text), shown(self.outcome.text)
        after = shown(self.final)
        name = self.file.path.name
        return FileDiff(
            path=str(self.file.path),
            name=name,
            patch=diff.patch(name, before, after, labels),
            original=before if self.file.exists else None,
            new=after,
            stat=diff.stat(before, proposed, after),
            is_new=not self.file.exists,
        )


class Editing:
    """One call of `replace`."""

    kind: Kind = "edit"

    def __init__(self, text: str, wish: Wish, plans: Path | None) -> None:
        self._text = text
        self._wish = wish
        self._plans = plans
        self._approved_on: str | None = None

    @property
    def title(self) -> str:
        return self._text

    @property
    def locations(self) -> tuple[Location, ...]:
        return (Location(self._text),)

    def question(self) -> Ask | None:
        return None

    async def preview(self, ctx: ToolContext) -> Preview | None:
        proposal = await self._propose(ctx)
        self._approved_on = shown(proposal.file.text)
        return EditPreview(await asyncio.to_thread(proposal.display, PREVIEWED))

    async def run(self, ctx: ToolContext, answer: Answer | None = None) -> ToolResult:
        proposal = self._with_answer(await self._propose(ctx), answer)
        await ctx.files.write(proposal.file.path, proposal.file.bytes_with(proposal.final))
        display = await asyncio.to_thread(proposal.display, WRITTEN)
        return said(_report(proposal, display), display)

    async def _propose(self, ctx: ToolContext) -> Proposal:
        old = self._wish.old
        path = await place_of(ctx, self._text, search=bool(old), plans=self._plans)
        exists = await ctx.files.stat(path) is not None
        if not exists and old:
            raise ToolProblem(
                f"There is no file at {path}. Check the path, or leave old_string empty to "
                "create it.",
                "file_not_found",
            )
        if not exists:
            return self._proposal(missing_file(path), Replaced(self._wish.new, 1, "exact"))
        file = await load(ctx, path)
        if not old:
            raise ToolProblem(
                f"{path} exists already. Quote the text to replace in old_string.",
                "attempt_to_create_existing_file",
            )
        if self._wish.by_hand is not None:
            _must_be(old, file)
            return self._proposal(file, Replaced(self._wish.new, 1, "exact"))
        outcome = await asyncio.to_thread(
            replace, file.text, old, self._wish.new, multiple=self._wish.multiple
        )
        self._must_fit(file, outcome)
        return Proposal(file, outcome)

    def _proposal(self, file: TextFile, outcome: Replaced) -> Proposal:
        """The edit, with the person's share told from the model's."""
        if self._wish.by_hand is None:
            return Proposal(file, outcome)
        proposed = unix_newlines(self._wish.by_hand)
        return Proposal(file, Replaced(proposed, 1, "exact"), by_hand=outcome.text)

    def _must_fit(self, file: TextFile, outcome: Replaced) -> None:
        if outcome.count == 0:
            raise ToolProblem(
                f"old_string was not found in {file.path}. Read the file again and quote the "
                "text exactly as it stands there.",
                "edit_no_occurrence_found",
            )
        if outcome.count > 1 and not self._wish.multiple:
            raise ToolProblem(
                f"Expected 1 occurrence of old_string in {file.path} but found {outcome.count}. "
                "Quote more lines around the one you mean, or set allow_multiple to true.",
                "edit_expected_occurrence_mismatch",
            )
        if self._wish.old == self._wish.new or outcome.text == file.text:
            raise ToolProblem(
                f"Nothing would change in {file.path}: old_string and new_string lead to the "
                "same text.",
                "edit_no_change",
            )

    def _with_answer(self, proposal: Proposal, answer: Answer | None) -> Proposal:
        """The proposal as a person's answer changed it."""
        content = (answer.content or {}).get("newContent") if answer is not None else None
        if not isinstance(content, str) or proposal.by_hand is not None:
            return proposal
        content = unix_newlines(content)
        if content == shown(proposal.outcome.text):
            return proposal
        _must_be(self._approved_on, proposal.file)
        return msgspec.structs.replace(proposal, by_hand=content)


def _must_be(seen: str | None, file: TextFile) -> None:
    """Text made by hand replaces the whole file, so it must be the file the person saw."""
    if seen is not None and shown(file.text) != seen:
        reason = "it was changed on disk while the edit was being looked at"
    elif file.form.escaped:
        reason = "it holds bytes that are not text, which editing by hand would destroy"
    else:
        return
    raise ToolProblem(
        f"{file.path} was not written: {reason}. Read it and try again.",
        "edit_preparation_failure",
    )


def _report(proposal: Proposal, display: FileDiff) -> str:
    """What the model reads: what was done, where, and how the file reads there now."""
    path, outcome = display.path, proposal.outcome
    if display.is_new:
        lines = [f"Created {path}."]
    else:
        times = "1 replacement" if outcome.count == 1 else f"{outcome.count} replacements"
        lines = [f"Changed {path}: {times}."]
    if outcome.ranges:
        places = ", ".join(f"{first}-{last}" for first, last in outcome.ranges)
        lines.append(f"old_string matched only roughly, at lines {places}. Check the result.")
    if proposal.by_hand is not None:
        lines.append("A person changed the proposal before it was written. The file reads now:")
        lines.append(display.new)
    else:
        lines.append("The changed part reads now:")
        lines.append(diff.excerpt(display.original or "", display.new))
    return "\n".join(lines)
