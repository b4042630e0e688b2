from simcore import Simulator
from simcore.models.ndn.rtt import RttEstimator

class LpSender: ...
class SentPacket: ...
class UnackedFragment: ...

class Reliability:
    max_retransmissions: int
    idle_ack_delay: int
    loss_threshold: int
    rtt: RttEstimator
    acknowledged: int
    retransmitted: int
    exhausted: int
    dropped_interests: int
    duplicates: int
    retransmissions: int
    def __init__(
        self,
        sim: Simulator,
        *,
        max_retransmissions: int = 3,
        idle_ack_delay: int = 5_000_000,
        loss_threshold: int = 3,
    ) -> None: ...
    @property
    def outstanding(self) -> int: ...
