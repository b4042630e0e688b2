from collections.abc import Iterable
from enum import IntEnum

from simcore.models.ndn.data import Data
from simcore.models.ndn.interest import Interest

class NackReason(IntEnum):
    NONE = 0
    CONGESTION = 50
    DUPLICATE = 100
    NO_ROUTE = 150

class LpFields:
    incoming_face_id: int
    next_hop_face_id: int
    pit_token: bytes | None
    prefix_announcement: bytes | None
    congestion_mark: int
    cache_policy: int
    hop_count: int
    non_discovery: bool
    def __init__(
        self,
        *,
        pit_token: bytes | None = None,
        incoming_face_id: int | None = None,
        next_hop_face_id: int | None = None,
        no_cache: bool = False,
        congestion_mark: int = 0,
        non_discovery: bool = False,
        prefix_announcement: bytes | None = None,
        hop_count: int = 0,
    ) -> None: ...
    @property
    def no_cache(self) -> bool: ...

class LpPacket:
    fields: LpFields | None
    sequence: int
    has_sequence: bool
    frag_index: int
    frag_count: int
    tx_sequence: int
    has_tx_sequence: bool
    acks: tuple[int, ...]
    nack_reason: int
    carries_hops: bool
    fragment: Interest | Data | bytes | None
    start: int
    stop: int
    def __init__(
        self,
        fragment: Interest | Data | bytes | None = None,
        fields: LpFields | None = None,
        *,
        nack_reason: int | None = None,
        sequence: int | None = None,
        frag_index: int | None = None,
        frag_count: int | None = None,
        tx_sequence: int | None = None,
        acks: Iterable[int] = (),
        carries_hops: bool = False,
    ) -> None: ...
    @staticmethod
    def from_wire(wire: bytes) -> LpPacket: ...
    @property
    def wire_size(self) -> int: ...
    def to_wire(self, bare: bool = True) -> bytes: ...
    @property
    def is_fragmented(self) -> bool: ...
    def network_packet(self) -> Interest | Data | None: ...

def decode_packet(wire: bytes) -> Interest | Data: ...
def least_severe(reasons: Iterable[int]) -> int: ...
