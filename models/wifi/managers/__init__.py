"""Rate managers: which rate each frame is sent at."""

from __future__ import annotations

from typing import Any

from simcore.models.wifi.managers.amrr import AmrrManager, OnoeManager
from simcore.models.wifi.managers.arf import AarfManager, ArfManager
from simcore.models.wifi.managers.cara import AarfcdManager, CaraManager
from simcore.models.wifi.managers.custom import CustomRateManager
from simcore.models.wifi.managers.ideal import IdealManager
from simcore.models.wifi.managers.manager import (
    AdaptiveManager,
    ConstantRateManager,
    RateManager,
    RemoteStation,
)
from simcore.models.wifi.managers.minstrel import MinstrelManager
from simcore.models.wifi.managers.parf import AparfManager, ParfManager
from simcore.models.wifi.managers.rraa import RraaManager, RrpaaManager
from simcore.models.wifi.managers.thompson import ThompsonSamplingManager

__all__ = [
    "AarfManager",
    "AarfcdManager",
    "AdaptiveManager",
    "AmrrManager",
    "AparfManager",
    "ArfManager",
    "CaraManager",
    "ConstantRateManager",
    "CustomRateManager",
    "IdealManager",
    "MinstrelManager",
    "OnoeManager",
    "ParfManager",
    "RateManager",
    "RemoteStation",
    "RraaManager",
    "RrpaaManager",
    "ThompsonSamplingManager",
    "make_manager",
    "manager_names",
]

_MANAGERS: dict[str, type[RateManager]] = {
    "Aarf": AarfManager,
    "Aarfcd": AarfcdManager,
    "Amrr": AmrrManager,
    "Aparf": AparfManager,
    "Arf": ArfManager,
    "Cara": CaraManager,
    "ConstantRate": ConstantRateManager,
    "Ideal": IdealManager,
    "Minstrel": MinstrelManager,
    "Onoe": OnoeManager,
    "Parf": ParfManager,
    "Rraa": RraaManager,
    "Rrpaa": RrpaaManager,
    "ThompsonSampling": ThompsonSamplingManager,
}


def manager_names() -> tuple[str, ...]:
    """Names of the bundled rate managers, as ns-3 has them."""
    return tuple(_MANAGERS)


def make_manager(name: str, standard: str, **parameters: Any) -> RateManager:
    """Make a rate manager by name.

    Raises
    ------
    ValueError
        For a name that there is not, or what the manager refuses.
    """
    found = _MANAGERS.get(name)
    if found is None:
        raise ValueError(f"manager is {name!r}: it must be one of {', '.join(_MANAGERS)}")
    return found(standard, **parameters)
