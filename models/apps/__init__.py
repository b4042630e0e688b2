"""Traffic sources and sinks."""

from simcore.models.apps.cbr import Cbr
from simcore.models.apps.frames import FrameSource
from simcore.models.apps.on_off import OnOff
from simcore.models.apps.ping import Ping
from simcore.models.apps.seq_ts import SeqTsHeader
from simcore.models.apps.sink import Sink
from simcore.models.apps.udp_echo import UdpEchoClient, UdpEchoServer
from simcore.models.network.application import Application

__all__ = [
    "Application",
    "Cbr",
    "FrameSource",
    "OnOff",
    "Ping",
    "SeqTsHeader",
    "Sink",
    "UdpEchoClient",
    "UdpEchoServer",
]
