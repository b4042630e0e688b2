from socket import socket

from simcore.bridge.realtime import RealTime
from simcore.bridge.stream import StreamConnection
from simcore.models.ndn.face import Face

class LiveStream(StreamConnection): ...

class LiveFace(Face):
    stream: LiveStream
    remote_uri: str
    local_uri: str
    local_fields: bool
    persistency: int
    in_malformed: int
    in_refused: int
    out_too_large: int
    congestion_marked: int
    framing_lost: bool
    def __init__(
        self,
        clock: RealTime,
        sock: socket,
        *,
        context: int = -1,
        is_local: bool = True,
        remote_uri: str = "fd://0",
        local_uri: str = "unix://",
        persistency: int = 1,
        queue_limit: int = 1048576,
    ) -> None: ...
    def close(self) -> None: ...
    @property
    def dropped(self) -> int: ...
