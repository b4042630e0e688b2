from collections.abc import Callable
from typing import Protocol

from simcore import Simulator
from simcore.stats import HdrHistogram

class _HasFileno(Protocol):
    def fileno(self) -> int: ...

class RealTimeError(RuntimeError): ...

class Descriptor:
    fd: int
    clock: RealTime | None
    context: int
    @property
    def is_watched(self) -> bool: ...

class Watch(Descriptor):
    def stop(self) -> None: ...

class RealTime:
    sim: Simulator
    speed: float
    hard_limit: int
    lateness: HdrHistogram
    turns: int
    def __init__(
        self, sim: Simulator, *, speed: float = 1.0, hard_limit: int | None = None
    ) -> None: ...
    def begin(self) -> None: ...
    def advance(self, limit: int) -> int: ...
    def watch(
        self,
        fd: int | _HasFileno,
        on_readable: Callable[[], object] | None = None,
        on_writable: Callable[[], object] | None = None,
        *,
        context: int = -1,
    ) -> Watch: ...
    def call(self, callback: Callable[..., object], *args: object) -> None: ...
    def report(self) -> dict[str, float]: ...
