from collections.abc import Callable
from socket import socket

from simcore.bridge.realtime import Descriptor, RealTime

FRAMING_LOST: int

class StreamConnection(Descriptor):
    is_open: bool
    closed_because: str | None
    queue_limit: int
    bytes_in: int
    bytes_out: int
    dropped: int
    def __init__(
        self, clock: RealTime, sock: socket, *, context: int = -1, queue_limit: int = 1048576
    ) -> None: ...
    def send(self, message: bytes) -> bool: ...
    @property
    def queued(self) -> int: ...
    def close(self) -> None: ...

class PythonConnection(StreamConnection):
    def __init__(
        self,
        clock: RealTime,
        sock: socket,
        on_data: Callable[[bytes], int],
        on_close: Callable[[], object] | None = None,
        *,
        context: int = -1,
        queue_limit: int = 1048576,
    ) -> None: ...
