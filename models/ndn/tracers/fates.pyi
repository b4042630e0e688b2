from typing import final

from simcore.models.ndn.face import Face
from simcore.trace.source import TraceSink

@final
class FaceFates(TraceSink):
    def __init__(self) -> None: ...
    def of(self, face: Face) -> tuple[int, int, int, int]: ...
