"""Traffic sources and sinks."""

from simcore.models.apps.application import Application
from simcore.models.apps.cbr import Cbr
from simcore.models.apps.on_off import OnOff
from simcore.models.apps.ping import Ping
from simcore.models.apps.seq_ts import SeqTsHeader
from simcore.models.apps.sink import Sink
from simcore.models.apps.udp_echo import UdpEchoClient, UdpEchoServer

__all__ = [
    "Application",
    "Cbr",
    "OnOff",
    "Ping",
    "SeqTsHeader",
    "Sink",
    "UdpEchoClient",
    "UdpEchoServer",
]
