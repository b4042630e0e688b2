from simcore.models.ndn.face import Face
from simcore.models.ndn.forwarder import Strategy
from simcore.models.ndn.pit import PitEntry
from simcore.models.ndn.retx_suppression import RetxSuppression
from simcore.models.ndn.rtt import RttEstimator

class LastNextHop:
    face: Face
    rtt: RttEstimator

class Access(Strategy):
    suppression: RetxSuppression
    def late(self, entry: PitEntry, ingress: Face, tried: Face) -> None: ...
