"""Settings of what is measured and where it is sent. Nothing is sent unless enabled."""

from typing import Annotated, Literal

from gemini_cli.ground.config.tables.setting import ClosedTable, Setting


class Telemetry(ClosedTable, frozen=True):
    """`telemetry`"""

    enabled: Annotated[bool, Setting("Record telemetry.", restart=True)] = False
    target: Annotated[Literal["local", "gcp"], Setting("Where telemetry goes.", restart=True)] = (
        "local"
    )
    otlp_endpoint: Annotated[
        str, Setting("Address of the OTLP collector; empty for none.", restart=True)
    ] = "http://localhost:4317"
    otlp_protocol: Annotated[
        Literal["grpc", "http"], Setting("Protocol of the OTLP collector.", restart=True)
    ] = "grpc"
    traces: Annotated[bool, Setting("Record spans with messages.", restart=True)] = False
    log_prompts: Annotated[bool, Setting("Record the text of prompts.", restart=True)] = True
    outfile: Annotated[
        str | None, Setting("File to append to instead of a collector.", restart=True)
    ] = None
    use_collector: Annotated[
        bool, Setting("Send to a collector even when the target is gcp.", restart=True)
    ] = False
    use_cli_auth: Annotated[
        bool, Setting("Send with the account signed in here.", restart=True)
    ] = False
