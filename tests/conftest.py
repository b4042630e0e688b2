"""Settings that all tests share."""

from __future__ import annotations

import signal
import threading
from typing import Any

import hypothesis
import pytest

# Busy machines are slow now and then; how long an example takes says nothing here.
hypothesis.settings.register_profile("simcore", deadline=None)
hypothesis.settings.load_profile("simcore")

# A shell starts background jobs with Ctrl-C ignored; the programs that tests interrupt inherit it.
if (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_make_parametrize_id(config: pytest.Config, val: Any, argname: str) -> str | None:
    """Name nameless functions after their argument.

    Their default name holds an address, which differs between the workers of pytest-xdist.
    """
    if getattr(val, "__name__", None) == "<lambda>":
        return argname
    return None
