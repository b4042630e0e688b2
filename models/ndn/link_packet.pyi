from simcore.models.ndn.data import Data
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpFields, LpPacket
from simcore.models.network.packet import Packet

class LinkPacket(Packet):
    content: Interest | Data | LpPacket
    fields: LpFields | None
    nack_reason: int
    carries_hops: bool
    def as_lp(self) -> LpPacket: ...
