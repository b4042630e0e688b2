"""A rate manager that serves a PHY and is told of outcomes by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simcore import Simulator
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import Node
from simcore.models.wifi.managers import RateManager
from simcore.models.wifi.managers.testing import ManagerProbe
from simcore.models.wifi.phy.phy import WifiPhy
from simcore.models.wifi.testing import Air


@pytest.fixture
def sim() -> Simulator:
    return Simulator(seed=3)


@pytest.fixture
def phy_of(sim: Simulator) -> Callable[[str], WifiPhy]:
    def make(standard: str) -> WifiPhy:
        node = Node(sim)
        ConstantPosition(node, (0, 0))
        return WifiPhy(node, Air(sim), standard)

    return make


@pytest.fixture
def drive(phy_of: Callable[[str], WifiPhy]) -> Callable[[RateManager], ManagerProbe]:
    def serve(manager: RateManager) -> ManagerProbe:
        return ManagerProbe(manager, phy_of(manager.standard))

    return serve
