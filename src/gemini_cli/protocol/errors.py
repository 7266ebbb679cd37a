"""Every error of ours, as one tree. Raise typed, catch narrow, chain always.

    GeminiError
    ├── FatalError                 ends the process; `cli/exits.py` turns it into an exit code
    │   ├── UsageError         1   cli/args: a command line that cannot be meant
    │   ├── AuthError         41   engine/model: no usable key or sign-in
    │   ├── InputError        42   cli, app: no prompt, bad session id, a dialog needed
    │   ├── SandboxError      44   engine/sandbox
    │   ├── ConfigError       52   ground/config: a broken settings or trust file
    │   ├── TurnLimitError    53   faces/headless: model.maxSessionTurns reached
    │   ├── ToolExecutionError 54  a tool failed in a way no later step can mend (disk full)
    │   ├── UntrustedWorkspaceError 55  app/trust
    │   └── Cancelled        130   a person pressed Ctrl+C
    ├── ModelError                 engine/model raises; loop/step turns it into `Failed`
    │   ├── Unauthorized · Forbidden · ModelNotFound · BadRequest
    │   ├── Busy: RateLimited · Overloaded
    │   ├── QuotaExhausted
    │   ├── ContextTooLong · Blocked · InvalidStream
    │   └── Unavailable · Offline · Stalled
    ├── ToolProblem                becomes a Reply; never crosses the loop
    ├── HookProblem · McpProblem · ExtensionProblem · SessionProblem    become a Notice
    └── (anything else)            a bug: journal flushed, `Failed`, exit 1, trace only with --debug

A message names the file, key, flag or command concerned and says what to do.
"""


class GeminiError(Exception):
    """Root of the tree. `str()` of it is a sentence a person can act on."""


class FatalError(GeminiError):
    """Ends the process with `exit_code`."""

    exit_code: int = 1


class UsageError(FatalError):
    """The command line cannot be meant. Raised by `cli/args`; the help follows the message."""

    exit_code = 1


class AuthError(FatalError):
    """No usable key or sign-in."""

    exit_code = 41


class InputError(FatalError):
    """No prompt, an unknown session, or a command that needs a dialog."""

    exit_code = 42


class SandboxError(FatalError):
    """The sandbox could not be entered."""

    exit_code = 44


class ConfigError(FatalError):
    """A settings, trust or policy file cannot be used."""

    exit_code = 52


class TurnLimitError(FatalError):
    """`model.maxSessionTurns` was reached."""

    exit_code = 53


class ToolExecutionError(FatalError):
    """A tool failed in a way that no later step can mend, such as a full disk."""

    exit_code = 54


class UntrustedWorkspaceError(FatalError):
    """Headless in a folder nobody has trusted."""

    exit_code = 55


class Cancelled(FatalError):
    """A person stopped the run."""

    exit_code = 130


class ModelError(GeminiError):
    """A model request failed. `status` is the HTTP status where there was one."""

    kind: str = "model_error"

    def __init__(
        self, message: str, *, status: int | None = None, model: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.model = model


class Unauthorized(ModelError):
    """401, or a key the service does not know."""

    kind = "unauthorized"


class Forbidden(ModelError):
    """403: the key is known but may not do this."""

    kind = "forbidden"


class ModelNotFound(ModelError):
    """404: no such model for this account or region."""

    kind = "model_not_found"


class BadRequest(ModelError):
    """400 and other 4xx that repeating cannot mend."""

    kind = "bad_request"


class Busy(ModelError):
    """Worth another try. `retry_after` is the delay the service asked for, in seconds."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        model: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, status=status, model=model)
        self.retry_after = retry_after


class RateLimited(Busy):
    """429 that passes."""

    kind = "rate_limited"


class Overloaded(Busy):
    """5xx or no capacity just now."""

    kind = "overloaded"


class QuotaExhausted(ModelError):
    """A quota that waiting a little does not mend, such as a daily one."""

    kind = "quota_exhausted"


class ContextTooLong(ModelError):
    """The request does not fit the model's window."""

    kind = "context_too_long"


class Blocked(ModelError):
    """The service refused the prompt. `reason` is its word for why."""

    kind = "blocked"

    def __init__(self, message: str, *, reason: str, model: str | None = None) -> None:
        super().__init__(message, model=model)
        self.reason = reason


class InvalidStream(ModelError):
    """The stream ended without a usable answer. `problem` names the name of the rule."""

    kind = "INVALID_STREAM"

    def __init__(self, message: str, *, problem: str, model: str | None = None) -> None:
        super().__init__(message, model=model)
        self.problem = problem


class Unavailable(ModelError):
    """The connection broke or the body could not be read."""

    kind = "unavailable"


class Offline(ModelError):
    """The host could not be reached at all."""

    kind = "offline"


class Stalled(ModelError):
    """No first byte, or no further byte, within the time allowed."""

    kind = "stalled"


class ToolProblem(GeminiError):
    """A tool cannot do what was asked. `kind` is one of the error types tools report."""

    def __init__(self, message: str, kind: str = "execution_failed") -> None:
        super().__init__(message)
        self.kind = kind


class InvalidArgs(ToolProblem):
    """The arguments do not fit; the text is for the model."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "invalid_tool_params")


class HookProblem(GeminiError):
    """A hook could not run or said something unusable."""


class McpProblem(GeminiError):
    """An MCP server failed."""


class ExtensionProblem(GeminiError):
    """An extension could not be loaded or changed."""


class SessionProblem(GeminiError):
    """A stored session could not be read or written."""
