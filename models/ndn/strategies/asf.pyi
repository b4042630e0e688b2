from simcore.models.ndn.forwarder import Strategy
from simcore.models.ndn.name import Name
from simcore.models.ndn.retx_suppression import RetxSuppression
from simcore.models.ndn.rtt import RttEstimator

class FaceMeasurement:
    rtt: RttEstimator
    last_rtt: int
    timeouts: int

class Namespace:
    faces: dict[int, FaceMeasurement]
    probing_is_due: bool
    probing_is_planned: bool

class Asf(Strategy):
    suppression: RetxSuppression
    probing_interval: int
    measurements_lifetime: int
    max_timeouts: int
    def probe_is_due(self, prefix: Name) -> None: ...
    def timed_out(self, name: Name, face_id: int) -> None: ...

def without_face(ranked: tuple[int, ...]) -> tuple[int, int, int, int]: ...
