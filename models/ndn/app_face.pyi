from typing import final

from simcore.models.ndn.face import Face

class AppListener: ...

@final
class AppFace(Face): ...
