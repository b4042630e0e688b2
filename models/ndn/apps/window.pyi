from typing import Any

from simcore.models.ndn.apps.consumer import Consumer
from simcore.models.ndn.name import Name
from simcore.models.network import Node

class ConsumerWindow(Consumer):
    initial_window: float
    window: float
    grow: bool
    reset_on_timeout: bool
    def __init__(
        self,
        node: Node,
        prefix: Name | str,
        window: float = 1,
        *,
        grow: bool = False,
        reset_on_timeout: bool = False,
        **rest: Any,
    ) -> None: ...

class ConsumerAimd(ConsumerWindow):
    beta: float
    threshold: float
    suppression: float
    react_to_marks: bool
    conservative: bool
    marks: int
    decreases: int
    def __init__(
        self,
        node: Node,
        prefix: Name | str,
        window: float = 1,
        *,
        algorithm: str = "aimd",
        beta: float | None = None,
        react_to_marks: bool = True,
        conservative: bool = True,
        suppression: float = 0.5,
        **rest: Any,
    ) -> None: ...
    @property
    def algorithm(self) -> str: ...
