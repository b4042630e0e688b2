"""IEEE 802.11: PHY, MAC, rate managers."""

from simcore.models.wifi.adhoc import install_adhoc
from simcore.models.wifi.channel import WifiChannel
from simcore.models.wifi.device import WifiDevice
from simcore.models.wifi.frame import WifiFrame
from simcore.models.wifi.managers.manager import ConstantRateManager, RateManager
from simcore.models.wifi.phy.phy import WifiPhy
from simcore.models.wifi.phy.ppdu import Ppdu

__all__ = [
    "ConstantRateManager",
    "Ppdu",
    "RateManager",
    "WifiChannel",
    "WifiDevice",
    "WifiFrame",
    "WifiPhy",
    "install_adhoc",
]
