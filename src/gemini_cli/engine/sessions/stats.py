"""Counts what a session costs and does, from its events alone.

Used by headless output, `/stats` and the session browser; it never asks a model or a tool.
"""

from gemini_cli.protocol.display import FileDiff
from gemini_cli.protocol.events import Envelope, ToolFinished, UsageReported
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Usage

_TOKENS = ("input", "prompt", "candidates", "total", "cached", "thoughts", "tool")
_DECISIONS = ("accept", "reject", "modify", "auto_accept")


class Stats:
    """Running figures of one session."""

    def __init__(self) -> None:
        self._models: dict[str, JsonObject] = {}
        self._tools: JsonObject = {
            "totalCalls": 0,
            "totalSuccess": 0,
            "totalFail": 0,
            "totalDurationMs": 0,
            "totalDecisions": dict.fromkeys(_DECISIONS, 0),
            "byName": {},
        }
        self._files = {"totalLinesAdded": 0, "totalLinesRemoved": 0}

    def saw(self, envelope: Envelope) -> None:
        """Takes note of one event."""
        match envelope.event:
            case UsageReported() as report:
                self._request(report)
            case ToolFinished() as finished:
                self._call(finished)
            case _:
                pass

    def to_json(self) -> JsonObject:
        """The `stats` of `--output-format json`."""
        return {"models": self._models, "tools": self._tools, "files": self._files}

    def to_stream(self, duration_ms: int) -> JsonObject:
        """The `stats` of the last line of `stream-json`."""
        models = {name: _flat(model["tokens"]) for name, model in self._models.items()}
        keys = ("total_tokens", "input_tokens", "output_tokens", "cached", "input")
        totals = {key: sum(model[key] for model in models.values()) for key in keys}
        calls = self._tools["totalCalls"]
        return {**totals, "duration_ms": duration_ms, "tool_calls": calls, "models": models}

    def _request(self, report: UsageReported) -> None:
        model = self._models.setdefault(report.model, {**_empty(), "roles": {}})
        role = model["roles"].setdefault(
            report.role,
            {"totalRequests": 0, "totalErrors": 0, "totalLatencyMs": 0, "tokens": _no_tokens()},
        )
        for counts in (model["api"], role):
            counts["totalRequests"] += 1
            counts["totalLatencyMs"] += report.latency_ms
            counts["totalErrors"] += report.error_kind is not None
        if report.error_kind is not None:
            kinds = model["api"]["errorsByType"]
            kinds[report.error_kind] = kinds.get(report.error_kind, 0) + 1
        for tokens in (model["tokens"], role["tokens"]):
            _add(tokens, report.usage)

    def _call(self, finished: ToolFinished) -> None:
        name = finished.call.name
        own = self._tools["byName"].setdefault(
            name,
            {
                "count": 0,
                "success": 0,
                "fail": 0,
                "durationMs": 0,
                "decisions": dict.fromkeys(_DECISIONS, 0),
            },
        )
        good = finished.status == "success"
        self._tools["totalCalls"] += 1
        self._tools["totalSuccess" if good else "totalFail"] += 1
        self._tools["totalDurationMs"] += finished.duration_ms
        own["count"] += 1
        own["success" if good else "fail"] += 1
        own["durationMs"] += finished.duration_ms
        if finished.decision is not None:
            self._tools["totalDecisions"][finished.decision] += 1
            own["decisions"][finished.decision] += 1
        if good and isinstance(finished.display, FileDiff):
            stat = finished.display.stat
            self._files["totalLinesAdded"] += stat.model_added_lines + stat.user_added_lines
            self._files["totalLinesRemoved"] += stat.model_removed_lines + stat.user_removed_lines


def _no_tokens() -> dict[str, int]:
    return dict.fromkeys(_TOKENS, 0)


def _empty() -> JsonObject:
    return {
        "api": {"totalRequests": 0, "totalErrors": 0, "totalLatencyMs": 0, "errorsByType": {}},
        "tokens": _no_tokens(),
    }


def _add(tokens: dict[str, int], usage: Usage) -> None:
    tokens["prompt"] += usage.input
    tokens["candidates"] += usage.output
    tokens["total"] += usage.total
    tokens["cached"] += usage.cached
    tokens["thoughts"] += usage.thoughts
    tokens["tool"] += usage.tool
    tokens["input"] = max(0, tokens["prompt"] - tokens["cached"])


def _flat(tokens: dict[str, int]) -> dict[str, int]:
    return {
        "total_tokens": tokens["total"],
        "input_tokens": tokens["prompt"],
        "output_tokens": tokens["candidates"],
        "cached": tokens["cached"],
        "input": tokens["input"],
    }
