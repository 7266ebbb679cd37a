"""Reads every layer once and gives one frozen `Config`. The same arguments give the same result.

It writes nothing and asks nobody: old keys on disk are rewritten by `migrate_files`, and an
unknown folder is only reported. All broken files are told in one error.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from gemini_cli.ground.config.build import build
from gemini_cli.ground.config.env import Env
from gemini_cli.ground.config.envfile import EnvFile, load_env_file
from gemini_cli.ground.config.environment import settings_of
from gemini_cli.ground.config.layers import (
    Broken,
    Layer,
    LayerKind,
    Source,
    layer_of,
    read_source,
)
from gemini_cli.ground.config.merge import merge
from gemini_cli.ground.config.migrate import MISSING, get, put
from gemini_cli.ground.config.paths import Paths
from gemini_cli.ground.config.tables import Settings
from gemini_cli.ground.config.tables.setting import value_at
from gemini_cli.ground.config.trust import Trust, TrustLevel, decide, read_rules
from gemini_cli.ground.config.validate import check, describe
from gemini_cli.protocol.errors import ConfigError
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue


class Origin(Struct, frozen=True):
    """Who said what a setting is: a layer, its file, or the variable."""

    kind: LayerKind
    path: Path | None = None
    variable: str | None = None


class Config(Struct, frozen=True):
    """Everything that was decided before the first prompt, frozen."""

    settings: Settings
    paths: Paths
    env: Env
    """The environment after `.env`."""
    trust: Trust
    env_file: EnvFile
    layers: tuple[Layer, ...]
    """The layers that count, weakest first."""
    values: JsonObject
    """The merged settings as JSON, unknown keys included."""
    warnings: tuple[str, ...] = ()
    ignored_workspace: Layer | None = None
    """What the workspace would say if its folder were trusted."""
    extension_values: JsonObject = {}
    """Settings of extensions in the form of the first versions, by extension."""

    def __repr__(self) -> str:
        return f"Config({str(self.paths.cwd)!r}, trusted={self.trust.trusted})"

    def value(self, key: str) -> object:
        """What holds for the dotted `key`, defaults included. Raises KeyError for no setting."""
        return value_at(self.settings, key)

    def origin(self, key: str) -> Origin:
        """Where the value of the dotted `key` comes from; the strongest layer that names it."""
        for layer in reversed(self.layers):
            if layer.says(key):
                return Origin(layer.kind, layer.path, layer.origins.get(key))
        return Origin(LayerKind.DEFAULT)

    def layer(self, kind: LayerKind) -> Layer | None:
        """The layer of that kind, where it counts."""
        return next((layer for layer in self.layers if layer.kind is kind), None)


def load(
    env: Env,
    cwd: Path,
    home: Path | None = None,
    *,
    skip_trust: bool = False,
    ignore_env: bool = False,
    editor_trust: bool | None = None,
    admin: JsonObject | None = None,
    overrides: Mapping[str, JsonValue] | None = None,
) -> Config:
    """The configuration for `cwd`. `overrides` are dotted keys from flags; they replace.

    `editor_trust` is the editor's word on the folder, `admin` what an organisation's service
    sent for `admin`. Raises ConfigError for files that cannot be used, all in one.
    """
    paths = Paths.of(env, cwd, home)
    sources, rules = _read(paths)
    trust = decide(
        paths.cwd,
        rules,
        env,
        enabled=_without_workspace(sources, env).security.folder_trust.enabled,
        skip=skip_trust,
        editor=editor_trust,
    )
    trusted = [s for s in sources if trust.trusted or s.kind is not LayerKind.WORKSPACE]
    layers = [layer_of(source, env) for source in trusted]
    first = build(Settings, merge(layer.values for layer in layers))
    env_file = load_env_file(
        env,
        paths,
        trusted=trust.trusted,
        ignore_local=ignore_env or first.advanced.ignore_local_env,
        excluded=first.advanced.excluded_env_vars,
        auth_type=first.security.auth.selected_type,
    )
    after = env_file.env
    if after is not env:
        layers = [
            layer_of(source, after) if "$" in (source.text or "") else layer
            for source, layer in zip(trusted, layers, strict=True)
        ]
    after = _with_api_key(layers, after)
    merged = merge(layer.values for layer in layers)
    top = [*_admin(admin), *_environment(after), *_flags(overrides or {})]
    _lay_on(merged, top, _api_key(layers))
    ignored = next((s for s in sources if s not in trusted), None)
    return Config(
        settings=build(Settings, merged),
        paths=paths,
        env=after,
        trust=trust,
        env_file=env_file,
        layers=(*layers, *top),
        values=merged,
        warnings=tuple(_warnings(layers, env_file)),
        ignored_workspace=layer_of(ignored, after) if ignored else None,
        extension_values=_extension_values(layers),
    )


def _read(paths: Paths) -> tuple[list[Source], dict[str, TrustLevel]]:
    files = [
        (LayerKind.SYSTEM_DEFAULTS, paths.system_defaults),
        (LayerKind.USER, paths.user_settings),
        (LayerKind.WORKSPACE, paths.workspace_settings),
        (LayerKind.SYSTEM, paths.system_settings),
    ]
    if paths.workspace_is_home:
        del files[2]
    read = [read_source(kind, path) for kind, path in files]
    broken = [str(found) for found in read if isinstance(found, Broken)]
    rules: dict[str, TrustLevel] = {}
    try:
        rules = read_rules(paths.trusted_folders)
    except ConfigError as error:
        broken.append(str(error))
    if broken:
        lines = "\n".join(f"  {line}" for line in broken)
        raise ConfigError(f"Settings cannot be read. Mend these files and start again:\n{lines}")
    return [found for found in read if isinstance(found, Source)], rules


def _without_workspace(sources: Iterable[Source], env: Env) -> Settings:
    """What holds before the folder's own file has a say."""
    layers = [layer_of(s, env) for s in sources if s.kind is not LayerKind.WORKSPACE]
    return build(Settings, merge(layer.values for layer in layers))


def _api_key(layers: Iterable[Layer]) -> str | None:
    return next((x.api_key for x in reversed(list(layers)) if x.api_key), None)


def _with_api_key(layers: Iterable[Layer], env: Env) -> Env:
    key = _api_key(layers)
    return (
        env
        if key is None or env.text("GEMINI_API_KEY")
        else env.with_values({"GEMINI_API_KEY": key})
    )


def _lay_on(merged: JsonObject, top: Iterable[Layer], api_key: str | None) -> None:
    """Values that replace whatever the files say, and the sign-in an old API key implies."""
    selected = get(merged, "security.auth.selectedType")
    if api_key is not None and (selected is MISSING or selected is None):
        put(merged, "security.auth.selectedType", "gemini-api-key")
    for layer in top:
        for key in layer.origins:
            put(merged, key, layer.value(key))


def _admin(admin: JsonObject | None) -> list[Layer]:
    if not admin:
        return []
    values, problems = check(Settings, {"admin": admin})
    return [
        Layer(LayerKind.ADMIN, None, values, problems=tuple(problems), origins={"admin": "admin"})
    ]


def _environment(env: Env) -> list[Layer]:
    values: JsonObject = {}
    origins: dict[str, str] = {}
    for key, (variable, value) in settings_of(env).items():
        put(values, key, value)
        _, problems = check(Settings, _nested(key, value))
        if problems:
            raise ConfigError(f"The variable {variable} must be {problems[0].expected}.")
        origins[key] = variable
    return [Layer(LayerKind.ENVIRONMENT, None, values, origins=origins)] if origins else []


def _flags(overrides: Mapping[str, JsonValue]) -> list[Layer]:
    values: JsonObject = {}
    for key, value in overrides.items():
        kept, problems = check(Settings, _nested(key, value))
        if problems:
            raise ConfigError(f"{problems[0]}")
        put(values, key, get(kept, key))
    origins = dict.fromkeys(overrides, "flag")
    return [Layer(LayerKind.FLAG, None, values, origins=origins)] if origins else []


def _nested(key: str, value: JsonValue) -> JsonObject:
    nested: JsonObject = {}
    put(nested, key, value)
    return nested


def _extension_values(layers: Iterable[Layer]) -> JsonObject:
    joined: JsonObject = {}
    for layer in layers:
        joined.update(layer.extension_values)
    return joined


def _warnings(layers: Iterable[Layer], env_file: EnvFile) -> Iterable[str]:
    for layer in layers:
        if layer.problems:
            yield describe(layer.problems, str(layer.path))
        if layer.old_keys and not layer.kind.writable:
            yield f"{layer.path} uses old names of settings: {', '.join(layer.old_keys)}."
    yield from env_file.warnings
