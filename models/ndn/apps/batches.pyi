from collections.abc import Iterable
from typing import Any

from simcore.models.ndn.apps.consumer import Consumer
from simcore.models.ndn.name import Name
from simcore.models.network import Node

def batches_from(given: str | Iterable[tuple[int | str, int | str]]) -> list[tuple[int, int]]: ...
def time_of(batch: tuple[int, int]) -> int: ...

class ConsumerBatches(Consumer):
    batches: list[tuple[int, int]]
    def __init__(
        self,
        node: Node,
        prefix: Name | str,
        batches: str | Iterable[tuple[int | str, int | str]],
        **rest: Any,
    ) -> None: ...
