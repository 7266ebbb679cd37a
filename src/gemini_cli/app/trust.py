"""Refuses to work without a person in a folder nobody has trusted."""

from gemini_cli.ground.config.load import Config
from gemini_cli.protocol.errors import UntrustedWorkspaceError


def require_trust(config: Config) -> None:
    """Raises `UntrustedWorkspaceError` with every way out."""
    if config.trust.trusted:
        return
    raise UntrustedWorkspaceError(
        f"{config.paths.cwd} is not a trusted folder. Trust it for this run with --skip-trust or "
        "GEMINI_CLI_TRUST_WORKSPACE=true, or for good by an entry "
        f'"{config.paths.cwd}": "TRUST_FOLDER" in {config.paths.trusted_folders}'
    )
