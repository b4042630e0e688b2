from enum import IntEnum

from simcore.models.ndn.data import Data
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpFields

class LinkType(IntEnum):
    POINT_TO_POINT = 0
    MULTI_ACCESS = 1
    AD_HOC = 2

class PacketSink: ...

class FaceCounters:
    in_interests: int
    out_interests: int
    in_data: int
    out_data: int
    in_nacks: int
    out_nacks: int
    in_interest_bytes: int
    out_interest_bytes: int
    in_data_bytes: int
    out_data_bytes: int
    in_nack_bytes: int
    out_nack_bytes: int
    @property
    def in_bytes(self) -> int: ...
    @property
    def out_bytes(self) -> int: ...
    in_hop_limit_zero: int
    out_hop_limit_zero: int
    def as_dict(self) -> dict[str, int]: ...

class Face:
    id: int
    is_local: bool
    link_type: int
    is_open: bool
    description: str
    counters: FaceCounters
    def __init__(
        self, *, is_local: bool = False, link_type: int = 0, description: str = ""
    ) -> None: ...
    def send_interest(self, interest: Interest, fields: LpFields | None) -> int: ...
    def send_data(self, data: Data, fields: LpFields | None) -> int: ...
    def send_nack(self, interest: Interest, reason: int, fields: LpFields | None) -> int: ...
    def receive_interest(self, interest: Interest, fields: LpFields | None = None) -> None: ...
    def receive_data(self, data: Data, fields: LpFields | None = None) -> None: ...
    def receive_nack(
        self, interest: Interest, reason: int, fields: LpFields | None = None
    ) -> None: ...
