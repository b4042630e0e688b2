from simcore.models.ndn.face import Face
from simcore.models.ndn.pit import PitEntry

class RetxSuppression:
    initial: int
    longest: int
    multiplier: float
    def __init__(self, initial: int = ..., longest: int = ..., multiplier: float = 2.0) -> None: ...
    def decide(self, entry: PitEntry, now: int, face: Face | None = None) -> str: ...
    def forwarded(self, entry: PitEntry, face: Face) -> None: ...
