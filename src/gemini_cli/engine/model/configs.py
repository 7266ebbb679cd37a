"""Finds the configuration of a model call: aliases with inheritance, then overrides.

Built-in and custom tables have one shape. A table a person wrote wrongly is a
`ConfigError` naming the entry; an unknown model name is not an error.
"""

from collections.abc import Mapping, Sequence

import msgspec

from gemini_cli.engine.model.aliases import ALIASES, OVERRIDES
from gemini_cli.protocol.errors import ConfigError
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

_CHAT_BASE = "chat-base"
_DEPTH = 100
_CORE = "core"


class ConfigKey(msgspec.Struct, frozen=True):
    """What a configuration is looked up by."""

    model: str
    scope: str | None = None
    """The subagent that asks; none for the main agent."""
    is_retry: bool = False
    is_chat: bool = False


class ResolvedConfig(msgspec.Struct, frozen=True):
    """A model to ask and the flat generation config to ask it with."""

    model: str
    generation: JsonObject


class ModelConfigs:
    """The tables of one process. Agents may add their own aliases and overrides."""

    def __init__(
        self,
        aliases: Mapping[str, JsonObject] | None = None,
        overrides: Sequence[JsonObject] | None = None,
        custom_aliases: Mapping[str, JsonObject] | None = None,
        custom_overrides: Sequence[JsonObject] = (),
    ) -> None:
        self._aliases = dict(aliases if aliases is not None else ALIASES)
        self._aliases |= custom_aliases or {}
        self._overrides: list[tuple[str, JsonObject]] = []
        self._add("overrides", overrides if overrides is not None else OVERRIDES)
        self._add("customOverrides", custom_overrides)

    def knows(self, name: str) -> bool:
        """Whether this is the name of an alias."""
        return name in self._aliases

    def names(self) -> tuple[str, ...]:
        """Every alias, built-in ones first."""
        return tuple(self._aliases)

    def register(self, name: str, alias: JsonObject) -> None:
        """Adds or replaces an alias, for an agent that brings its own."""
        self._aliases[name] = alias

    def register_override(self, override: JsonObject) -> None:
        """Adds an override behind all others."""
        self._add("overrides of an agent", (override,))

    def resolve(self, key: ConfigKey) -> ResolvedConfig:
        """The configuration for this call. Raises `ConfigError`."""
        if not key.model:
            raise ConfigError(
                "No model is named. Name one with --model, GEMINI_MODEL or the setting model.name."
            )
        config, levels = self._from_alias(key)
        for where, override in self._matching(key, levels):
            config = merged(config, _object(override.get("modelConfig"), f"{where}.modelConfig"))
        model = config.get("model")
        if not isinstance(model, str) or not model:
            raise ConfigError(
                f"modelConfigs: the alias {key.model!r} names no model, nor does any alias it "
                "extends. Give it a modelConfig.model."
            )
        generation = _object(config.get("generateContentConfig", {}), key.model)
        return ResolvedConfig(model, dict(generation))

    def _from_alias(self, key: ConfigKey) -> tuple[JsonObject, dict[str, int]]:
        """The merged alias, and at which level each name that led to it stands."""
        if key.model in self._aliases:
            names = self._lineage(key.model)
        else:
            names = self._lineage(_CHAT_BASE) if key.is_chat and self.knows(_CHAT_BASE) else []
        config: JsonObject = {}
        for name in names:
            config = merged(config, _object(self._aliases[name].get("modelConfig", {}), name))
        if key.model not in self._aliases:
            config = config | {"model": key.model}
            names = [*names, key.model]
        levels = {name: level for level, name in enumerate(names, 1)}
        model = config.get("model")
        if isinstance(model, str):
            levels.setdefault(model, 0)
        return config, levels

    def _lineage(self, name: str) -> list[str]:
        """The alias and its ancestors, root first."""
        names: list[str] = []
        current: JsonValue = name
        while current is not None:
            if current in names or len(names) > _DEPTH:
                raise ConfigError(f"modelConfigs: the alias {name!r} extends itself.")
            if not isinstance(current, str) or current not in self._aliases:
                raise ConfigError(
                    f"modelConfigs: the alias {names[-1]!r} extends {current!r}, which does not "
                    "exist."
                )
            names.append(current)
            current = _object(self._aliases[current], current).get("extends")
        return names[::-1]

    def _add(self, table: str, overrides: Sequence[JsonObject]) -> None:
        self._overrides += [(f"{table}[{i}]", override) for i, override in enumerate(overrides)]

    def _matching(self, key: ConfigKey, levels: dict[str, int]) -> list[tuple[str, JsonObject]]:
        """Overrides that apply, weakest first: by level of the name, number of keys, order."""
        ranked: list[tuple[int, int, tuple[str, JsonObject]]] = []
        for where, override in self._overrides:
            match = _object(_object(override, where).get("match", {}), f"{where}.match")
            if match and _matches(match, key, levels):
                level = levels.get(match.get("model", ""), 0)
                ranked.append((level, len(match), (where, override)))
        return [found for _, _, found in sorted(ranked, key=lambda entry: entry[:2])]


def merged(under: JsonObject, over: JsonObject) -> JsonObject:
    """`over` laid upon `under`: objects merge, everything else replaces."""
    result = dict(under)
    for key, value in over.items():
        old = result.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        result[key] = merged(old, value) if both else value  # type: ignore[arg-type]
    return result


def _matches(match: JsonObject, key: ConfigKey, levels: dict[str, int]) -> bool:
    for name, wanted in match.items():
        if name == "model":
            fits = isinstance(wanted, str) and wanted in levels
        elif name == "overrideScope":
            fits = wanted == key.scope or (wanted == _CORE and key.scope is None)
        elif name == "isRetry":
            fits = wanted is key.is_retry
        else:
            fits = False
        if not fits:
            return False
    return True


def _object(value: JsonValue, where: str) -> JsonObject:
    if not isinstance(value, dict):
        raise ConfigError(f"modelConfigs: {where} must be an object, not {value!r}.")
    return value
