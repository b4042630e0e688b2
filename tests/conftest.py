"""Settings that all tests share."""

from __future__ import annotations

from typing import Any

import hypothesis
import pytest

# Busy machines are slow now and then; how long an example takes says nothing here.
hypothesis.settings.register_profile("simcore", deadline=None)
hypothesis.settings.load_profile("simcore")


def pytest_make_parametrize_id(config: pytest.Config, val: Any, argname: str) -> str | None:
    """Name nameless functions after their argument.

    Their default name holds an address, which differs between the workers of pytest-xdist.
    """
    if getattr(val, "__name__", None) == "<lambda>":
        return argname
    return None
