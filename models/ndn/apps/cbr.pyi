from typing import Any

from simcore.models.ndn.apps.consumer import Consumer
from simcore.models.ndn.name import Name
from simcore.models.network import Node

class ConsumerCbr(Consumer):
    interval: int
    def __init__(
        self,
        node: Node,
        prefix: Name | str,
        frequency: float = 1.0,
        *,
        randomize: str = "none",
        **rest: Any,
    ) -> None: ...
    @property
    def randomized(self) -> str: ...
