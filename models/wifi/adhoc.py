"""Set up an ad hoc network in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from simcore.models.network.node import Node
from simcore.models.propagation import (
    ConstantSpeedDelay,
    LogDistanceLoss,
    PropagationDelayModel,
    PropagationLossModel,
)
from simcore.models.wifi.channel import WifiChannel
from simcore.models.wifi.device import WifiDevice
from simcore.models.wifi.managers.manager import ConstantRateManager, RateManager
from simcore.models.wifi.phy.error_rate import ErrorRateModel
from simcore.models.wifi.phy.phy import WifiPhy


def install_adhoc(
    nodes: Sequence[Node],
    *,
    standard: str = "802.11b",
    data_mode: str = "DsssRate11Mbps",
    group_mode: str | None = None,
    rts_mode: str | None = None,
    manager: RateManager | Callable[[], RateManager] | None = None,
    loss: PropagationLossModel | None = None,
    delay: PropagationDelayModel | None = None,
    error_model: ErrorRateModel | None = None,
    phy: dict[str, Any] | None = None,
    **device: Any,
) -> list[WifiDevice]:
    """Give each node a Wi-Fi device in ad hoc mode, all on one channel.

    Parameters
    ----------
    nodes : sequence of Node
        With their mobility models.
    standard : str
        ``"802.11a"`` or ``"802.11b"``.
    data_mode, group_mode, rts_mode : str
        Rates of the constant rate manager.
    manager : RateManager or callable, optional
        In place of a constant rate; the three modes are then ignored. A callable makes the manager
        of each device: adaptive managers cannot be shared.
    loss, delay : optional
        Propagation: log-distance and the speed of light by default.
    error_model : ErrorRateModel, optional
        Shared by all PHYs; table-based by default.
    phy : dict, optional
        Further parameters of `WifiPhy`.
    **device
        Further parameters of `WifiDevice` and its MAC.

    Returns
    -------
    list of WifiDevice
        In the order of the nodes; empty for no nodes.
    """
    if not nodes:
        return []
    sim = nodes[0].sim
    channel = WifiChannel(
        sim,
        LogDistanceLoss() if loss is None else loss,
        ConstantSpeedDelay() if delay is None else delay,
    )
    if manager is None:
        manager = ConstantRateManager(standard, data_mode, group_mode=group_mode, rts_mode=rts_mode)
    devices = []
    for node in nodes:
        radio = WifiPhy(node, channel, standard, error_model=error_model, **(phy or {}))
        own = manager if isinstance(manager, RateManager) else manager()
        devices.append(WifiDevice(node, radio, own, **device))
    return devices
