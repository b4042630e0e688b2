from simcore import Simulator
from simcore.models.ndn.face import Face
from simcore.models.ndn.name import Name
from simcore.random import RandomStream
from simcore.simulator import Event
from simcore.stats import HdrHistogram

class TrafficLog:
    sent: int
    served: int
    received: int
    nacks: int
    timeouts: int
    unexpected: int
    latency: HdrHistogram

class TrafficClientFace(Face):
    log: TrafficLog
    prefix: Name
    delay: int
    def __init__(
        self,
        sim: Simulator,
        log: TrafficLog,
        prefix: Name | str,
        *,
        interval: float,
        start: int = 0,
        stop: int,
        delay: int = 0,
        lifetime: int = 4_000_000_000,
        must_be_fresh: bool = True,
        nonces: RandomStream,
        gaps: RandomStream | None = None,
    ) -> None: ...

class TrafficServerFace(Face):
    log: TrafficLog
    payload: int
    delay: int
    def __init__(
        self,
        sim: Simulator,
        log: TrafficLog,
        *,
        payload: int | None = None,
        freshness: int = 0,
        delay: int = 0,
    ) -> None: ...

class Reply(Event): ...
