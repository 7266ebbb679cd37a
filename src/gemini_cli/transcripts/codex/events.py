"""Events of a Codex rollout that stand for utterances nothing else in the file holds.

Most events mirror response items and are dropped by the reader before they come here; what
remains is read for its words only.
"""

from collections.abc import Callable

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.codex.media import source_of
from gemini_cli.transcripts.codex.message import Said, is_context
from gemini_cli.transcripts.codex.names import unwrap_shell, web_search
from gemini_cli.transcripts.coerce import as_dict, as_list, as_str, dicts, opt_int, opt_str
from gemini_cli.transcripts.gemini.results import compact
from gemini_cli.transcripts.model import (
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedContent,
    UrlSource,
)
from gemini_cli.transcripts.places import numbered


def from_event(payload: JsonObject) -> Said | None:
    """The message of an event; None for the many that say nothing to a reader."""
    match payload.get("type"):
        case "user_message":
            text = as_str(payload.get("message"))
            blocks: list[UnifiedContent] = [TextBlock(text)] if text else []
            images = [i for i in as_list(payload.get("images")) if isinstance(i, str)]
            local = [i for i in as_list(payload.get("local_images")) if isinstance(i, str)]
            blocks += [ImageBlock(source_of(url)) for url in images]
            blocks += [ImageBlock(UrlSource(path)) for path in local]
            return Said("user", blocks, is_meta=is_context([text]))
        case "agent_message":
            return Said("assistant", [TextBlock(as_str(payload.get("message")))])
        case "agent_reasoning":
            return Said("assistant", [ThinkingBlock(as_str(payload.get("text")))])
        case _:
            return None


def from_finished_item(item: JsonObject) -> Said | None:
    """The message of an `item_completed` event, for files that hold no response items."""
    reader = _ITEMS.get(as_str(item.get("type")))
    said = reader(item) if reader else None
    if said is not None and said.id is None:
        said.id = opt_str(item.get("id"))
    return said


def _words(item: JsonObject) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = dicts(content) or dicts(item.get("summary"))
    return "".join(as_str(part.get("text")) for part in parts) or as_str(item.get("text"))


def _user(item: JsonObject) -> Said:
    text = _words(item)
    return Said("user", [TextBlock(text)] if text else [], is_meta=is_context([text]))


def _agent(item: JsonObject) -> Said:
    return Said("assistant", [TextBlock(_words(item))])


def _reasoning(item: JsonObject) -> Said | None:
    listed = as_list(item.get("summary_text"))
    text = "\n".join(part for part in listed if isinstance(part, str)) or _words(item)
    return Said("assistant", [ThinkingBlock(text)]) if text.strip() else None


def _command(item: JsonObject) -> Said:
    name = as_str(item.get("id"))
    code = opt_int(item.get("exit_code"))
    failed = code not in (None, 0) or item.get("status") in ("failed", "declined")
    call = ToolUseBlock(name, "Bash", {"command": unwrap_shell(item.get("command"))})
    output = as_str(item.get("aggregated_output"))
    return Said("assistant", [call, ToolResultBlock(name, output, failed)])


def _mcp(item: JsonObject) -> Said:
    name = as_str(item.get("id"))
    tool = f"mcp__{as_str(item.get('server'))}__{as_str(item.get('tool'))}"
    error, result = item.get("error"), item.get("result")
    texts = [as_str(part.get("text")) for part in dicts(as_dict(result).get("content"))]
    said = as_str(as_dict(error).get("message")) if error else "\n".join(texts)
    call = ToolUseBlock(name, tool, as_dict(item.get("arguments")))
    return Said("assistant", [call, ToolResultBlock(name, said, error is not None)])


def _change(item: JsonObject) -> Said:
    name = as_str(item.get("id"))
    failed = item.get("status") in ("failed", "declined")
    blocks: list[UnifiedContent] = []
    for number, (path, change) in enumerate(_changes(item)):
        one = numbered(name, number)
        kind = as_str(change.get("type")) or as_str(as_dict(change.get("kind")).get("type"))
        blocks.append(ToolUseBlock(one, *_file_call(path, kind, change)))
        blocks.append(ToolResultBlock(one, "", failed))
    return Said("assistant", blocks)


def _changes(item: JsonObject) -> list[tuple[str, JsonObject]]:
    changes = item.get("changes")
    if isinstance(changes, dict):
        return [(path, as_dict(change)) for path, change in changes.items()]
    return [(as_str(change.get("path")), change) for change in dicts(changes)]


def _file_call(path: str, kind: str, change: JsonObject) -> tuple[str, JsonObject]:
    if kind == "add":
        return "Write", {"file_path": path, "content": as_str(change.get("content"))}
    if kind == "delete":
        return "Bash", {"command": f"rm {path}"}
    diff = as_str(change.get("unified_diff")) or as_str(change.get("diff"))
    return "Edit", {"file_path": path, "patch": diff}


def _search(item: JsonObject) -> Said:
    call = web_search(item.get("action"), item.get("query"))
    return Said("assistant", [ToolUseBlock(as_str(item.get("id")), *call)])


def _plan(item: JsonObject) -> Said:
    text = _words(item) or compact(item)
    return Said("assistant", [TextBlock(text)])


_ITEMS: dict[str, Callable[[JsonObject], Said | None]] = {
    "UserMessage": _user,
    "AgentMessage": _agent,
    "Reasoning": _reasoning,
    "CommandExecution": _command,
    "McpToolCall": _mcp,
    "FileChange": _change,
    "WebSearch": _search,
    "Plan": _plan,
}
