"""Rate managers: which rate each frame is sent at."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from simcore.models.wifi.managers.manager import (
    AdaptiveManager,
    ConstantRateManager,
    RateManager,
    RemoteStation,
)

if TYPE_CHECKING:
    from simcore.models.wifi.managers.amrr import AmrrManager, OnoeManager
    from simcore.models.wifi.managers.arf import AarfManager, ArfManager
    from simcore.models.wifi.managers.cara import AarfcdManager, CaraManager
    from simcore.models.wifi.managers.custom import CustomRateManager
    from simcore.models.wifi.managers.ideal import IdealManager
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

# Manager by name -> its module, imported when it is used: most networks need one manager.
_MODULES = {
    "Aarf": "arf",
    "Aarfcd": "cara",
    "Amrr": "amrr",
    "Aparf": "parf",
    "Arf": "arf",
    "Cara": "cara",
    "ConstantRate": "manager",
    "Ideal": "ideal",
    "Minstrel": "minstrel",
    "Onoe": "amrr",
    "Parf": "parf",
    "Rraa": "rraa",
    "Rrpaa": "rraa",
    "ThompsonSampling": "thompson",
}


def __getattr__(name: str) -> Any:
    module = "custom" if name == "CustomRateManager" else _MODULES.get(name.removesuffix("Manager"))
    if module is None or not name.endswith("Manager"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)


def manager_names() -> tuple[str, ...]:
    """Names of the bundled rate managers, as ns-3 has them."""
    return tuple(_MODULES)


def make_manager(name: str, standard: str, **parameters: Any) -> RateManager:
    """Make a rate manager by name.

    Raises
    ------
    ValueError
        For a name that there is not, or what the manager refuses.
    """
    if name not in _MODULES:
        raise ValueError(f"manager is {name!r}: it must be one of {', '.join(_MODULES)}")
    made = __getattr__(f"{name}Manager")(standard, **parameters)
    assert isinstance(made, RateManager)
    return made
