from collections.abc import Hashable

from simcore import Simulator
from simcore.models.ndn.lp import LpPacket

def fragment_sizes(size: int, headers: int, mtu: int) -> list[int]: ...
def fragment_packet(packet: LpPacket, mtu: int, sequence: int) -> list[LpPacket]: ...

class PartialPacket:
    fragments: list[LpPacket | None]

class Reassembler:
    timeout: int
    limit: int
    partial: dict[tuple[Hashable, int, int], PartialPacket]
    timed_out: int
    rejected: int
    def __init__(self, sim: Simulator, timeout: int = ..., limit: int = 1024) -> None: ...
    def receive(self, packet: LpPacket, endpoint: Hashable = 0) -> LpPacket | None: ...

class CongestionMarker:
    threshold: int
    interval: int
    def __init__(self, threshold: int = 65536, interval: int = ...) -> None: ...
    def observe(self, now: int, queued: int) -> bool: ...
