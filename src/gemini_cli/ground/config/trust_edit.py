"""Changes the rules of trusted folders: one rule at a time, private, in one step.

Comments and other rules stay as they are. A file that cannot be understood is not touched.
"""

import os
from pathlib import Path

from gemini_cli.ground.config.disk import locked, read_text, write_text
from gemini_cli.ground.config.trust import TrustLevel, read_rules, real_path
from gemini_cli.ground.formats.jsonc import parse
from gemini_cli.ground.formats.jsonc_edit import delete_value, set_value
from gemini_cli.protocol.errors import ConfigError


def write_rule(path: Path, folder: Path, level: TrustLevel | None) -> None:
    """Sets the rule for `folder`, or takes it away. Comments and other rules stay."""
    key = real_path(str(folder))
    try:
        with locked(path):
            rules = read_rules(path)
            text = read_text(path) or "{}\n"
            if isinstance(parse(text), list):
                text = set_value(text, (), {known: str(old) for known, old in rules.items()})
            for known in [k for k in rules if real_path(k) == key and k != key]:
                text = delete_value(text, (known,))
            if level is None:
                text = delete_value(text, (key,))
            else:
                text = set_value(text, (key,), str(level))
            write_text(path, text, 0o600)
            if os.name != "nt":
                path.chmod(0o600)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}.") from error
