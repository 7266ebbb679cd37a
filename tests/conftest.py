"""What every test shares: property tests are judged by what they find, never by how fast.

A shell that starts the suite in the background (`scripts/test &`, `nohup`) has it ignore some
signals, and so would every program it starts. A handler that does nothing keeps them away from the
suite just as well, but is not handed on.
"""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("unhurried")

for name in ("SIGINT", "SIGHUP", "SIGQUIT", "SIGTERM"):
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)
