"""The outside world: runs in step with the wall clock, sockets beside the event loop.

Knows nothing of models: they hand it subclasses of `Descriptor` and `StreamConnection`, or plain
callables.
"""

from simcore.bridge.address import Address, AddressError
from simcore.bridge.realtime import Descriptor, RealTime, RealTimeError, Watch
from simcore.bridge.stream import StreamConnection
from simcore.bridge.stream_server import StreamServer

__all__ = [
    "Address",
    "AddressError",
    "Descriptor",
    "RealTime",
    "RealTimeError",
    "StreamConnection",
    "StreamServer",
    "Watch",
]
