"""What every test runs under: seeded, without deadlines, at a fixed width and without colour."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

settings.register_profile(
    "seeded",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("soak", deadline=None, max_examples=5_000)
settings.load_profile(os.environ.get("SESSKIT_HYPOTHESIS", "seeded"))

os.environ["COLUMNS"] = "80"
os.environ["NO_COLOR"] = "1"
os.environ.pop("FORCE_COLOR", None)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As a job in the background we, and every program that we start, would be deaf to an interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
