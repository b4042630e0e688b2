from typing import Any, final

from simcore import Simulator
from simcore.models.ndn.apps.cbr import ConsumerCbr
from simcore.models.ndn.name import Name
from simcore.models.network import Node
from simcore.random import RandomStream

@final
class ZipfMandelbrot:
    n: int
    q: float
    s: float
    def __init__(self, n: int, q: float = 0.7, s: float = 0.7) -> None: ...
    def draw(self, stream: RandomStream) -> int: ...
    def probability(self, k: int) -> float: ...

def shared_sampler(sim: Simulator, contents: int, q: float, s: float) -> ZipfMandelbrot: ...

class ConsumerZipf(ConsumerCbr):
    popularity: ZipfMandelbrot
    def __init__(
        self,
        node: Node,
        prefix: Name | str,
        frequency: float = 1.0,
        *,
        contents: int = 100,
        q: float = 0.7,
        s: float = 0.7,
        **rest: Any,
    ) -> None: ...
