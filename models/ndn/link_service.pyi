from simcore.models.ndn.fragmentation import CongestionMarker, Reassembler
from simcore.models.ndn.reliability import LpSender, Reliability

class LinkCounters:
    down_drops: int
    device_drops: int
    fragmentation_errors: int
    over_mtu: int
    fragments_sent: int
    fragments_refused: int
    lp_invalid: int
    network_invalid: int
    congestion_marked: int
    def as_dict(self) -> dict[str, int]: ...

class LinkService(LpSender):
    mtu: int
    fragments: bool
    reassembles: bool
    local_fields: bool
    reassembler: Reassembler
    reliability: Reliability | None
    marker: CongestionMarker | None
    counters: LinkCounters
