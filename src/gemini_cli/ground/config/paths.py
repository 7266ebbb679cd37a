"""Where every file of the product lives: global, per project, per workspace, per machine.

It only names paths; it creates nothing and looks at nothing on disk. `G` below is the
global directory (`~/.gemini`, or inside GEMINI_CLI_HOME), `W` the workspace's `.gemini`.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from gemini_cli.ground.config.env import from_here, state_home

_SYSTEM = {
    "darwin": "/Library/Application Support/GeminiCli",
    "win32": "C:\\ProgramData\\gemini-cli",
}


class Paths(Struct, frozen=True):
    """Every path, from a home, a working directory and the three files that may be moved."""

    home: Path
    cwd: Path
    system_settings: Path
    system_defaults: Path
    trusted_folders: Path
    machine_dir: Path

    @classmethod
    def of(
        cls,
        env: Mapping[str, str],
        cwd: Path,
        home: Path | None = None,
        platform: str = sys.platform,
    ) -> "Paths":
        """Paths for `cwd`. `home` is the user's own home; GEMINI_CLI_HOME in `env` wins over it."""
        cwd = Path(os.path.normpath(from_here(cwd)))
        base = state_home(env, cwd, home)
        machine = Path(_SYSTEM.get(platform, "/etc/gemini-cli"))

        def moved(name: str, usual: Path) -> Path:
            value = env.get(name)
            return Path(os.path.normpath(cwd / value)) if value else usual

        settings = moved("GEMINI_CLI_SYSTEM_SETTINGS_PATH", machine / "settings.json")
        return cls(
            home=base,
            cwd=cwd,
            system_settings=settings,
            system_defaults=moved(
                "GEMINI_CLI_SYSTEM_DEFAULTS_PATH", settings.parent / "system-defaults.json"
            ),
            trusted_folders=moved(
                "GEMINI_CLI_TRUSTED_FOLDERS_PATH", base / ".gemini" / "trustedFolders.json"
            ),
            machine_dir=machine,
        )

    def at_home(self, text: str) -> Path:
        """A folder as a person writes it: `~` is the home, anything else starts at `cwd`."""
        first, *rest = Path(text).parts or (".",)
        return self.home.joinpath(*rest) if first == "~" else self.cwd / text

    # ── global ────────────────────────────────────────────────────────────
    @property
    def global_dir(self) -> Path:
        """G"""
        return self.home / ".gemini"

    @property
    def user_settings(self) -> Path:
        return self.global_dir / "settings.json"

    @property
    def user_env(self) -> Path:
        return self.global_dir / ".env"

    @property
    def home_env(self) -> Path:
        return self.home / ".env"

    @property
    def projects(self) -> Path:
        """The short id registry."""
        return self.global_dir / "projects.json"

    @property
    def tmp_dir(self) -> Path:
        return self.global_dir / "tmp"

    @property
    def history_dir(self) -> Path:
        """Shadow git repositories, one folder per short id."""
        return self.global_dir / "history"

    @property
    def old_projects_dir(self) -> Path:
        """Where an early layout kept sessions by project hash; only read."""
        return self.global_dir / "projects"

    @property
    def user_policies(self) -> Path:
        return self.global_dir / "policies"

    @property
    def policy_integrity(self) -> Path:
        return self.global_dir / "policy_integrity.json"

    @property
    def trusted_hooks(self) -> Path:
        return self.global_dir / "trusted_hooks.json"

    @property
    def user_commands(self) -> Path:
        return self.global_dir / "commands"

    @property
    def user_skills(self) -> Path:
        return self.global_dir / "skills"

    @property
    def shared_user_skills(self) -> Path:
        """Skills shared with other agents' tools."""
        return self.home / ".agents" / "skills"

    @property
    def user_agents(self) -> Path:
        return self.global_dir / "agents"

    @property
    def agent_acknowledgments(self) -> Path:
        return self.global_dir / "acknowledgments" / "agents.json"

    @property
    def user_extensions(self) -> Path:
        return self.global_dir / "extensions"

    @property
    def extension_integrity(self) -> Path:
        return self.global_dir / "extension_integrity.json"

    @property
    def integrity_key(self) -> Path:
        return self.global_dir / "integrity.key"

    @property
    def mcp_enablement(self) -> Path:
        return self.global_dir / "mcp-server-enablement.json"

    @property
    def mcp_tokens(self) -> Path:
        return self.global_dir / "mcp-oauth-tokens.json"

    @property
    def a2a_tokens(self) -> Path:
        return self.global_dir / "a2a-oauth-tokens.json"

    @property
    def credentials(self) -> Path:
        """Encrypted credentials where there is no keychain."""
        return self.global_dir / "gemini-credentials.json"

    @property
    def oauth_creds(self) -> Path:
        return self.global_dir / "oauth_creds.json"

    @property
    def google_accounts(self) -> Path:
        return self.global_dir / "google_accounts.json"

    @property
    def installation_id(self) -> Path:
        return self.global_dir / "installation_id"

    @property
    def keybindings(self) -> Path:
        return self.global_dir / "keybindings.json"

    @property
    def state(self) -> Path:
        """Small facts about this installation, such as tips already shown."""
        return self.global_dir / "state.json"

    # ── workspace ─────────────────────────────────────────────────────────
    @property
    def workspace_dir(self) -> Path:
        """W"""
        return self.cwd / ".gemini"

    @property
    def workspace_settings(self) -> Path:
        return self.workspace_dir / "settings.json"

    @property
    def workspace_policies(self) -> Path:
        return self.workspace_dir / "policies"

    @property
    def workspace_commands(self) -> Path:
        return self.workspace_dir / "commands"

    @property
    def workspace_skills(self) -> Path:
        return self.workspace_dir / "skills"

    @property
    def shared_workspace_skills(self) -> Path:
        return self.cwd / ".agents" / "skills"

    @property
    def workspace_agents(self) -> Path:
        return self.workspace_dir / "agents"

    @property
    def workspace_extensions(self) -> Path:
        return self.workspace_dir / "extensions"

    @property
    def workspace_system_md(self) -> Path:
        return self.workspace_dir / "system.md"

    @property
    def worktrees(self) -> Path:
        return self.workspace_dir / "worktrees"

    # ── machine ───────────────────────────────────────────────────────────
    @property
    def admin_policies(self) -> Path:
        return self.machine_dir / "policies"

    # ── per project ───────────────────────────────────────────────────────
    def project_tmp(self, short_id: str) -> Path:
        """Sessions, logs, plans and memory of one project."""
        return self.tmp_dir / short_id

    def project_history(self, short_id: str) -> Path:
        return self.history_dir / short_id

    def chats(self, short_id: str) -> Path:
        return self.tmp_dir / short_id / "chats"

    def session_outputs(self, short_id: str, session_id: str) -> Path:
        """What was too long for the model, by call."""
        return self.project_tmp(short_id) / "tool-outputs" / f"session-{session_id}"

    @property
    def workspace_is_home(self) -> bool:
        """True where W and G are the same place, links resolved."""
        return os.path.realpath(self.cwd) == os.path.realpath(self.home)
