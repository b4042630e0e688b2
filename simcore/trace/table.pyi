import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, Self

from simcore.trace.ascii import AsciiDevice
from simcore.trace.file_trace import FileTrace
from simcore.trace.source import TraceSource

FORMATS: Final[tuple[str, ...]]
DEFAULT_COLUMNS: Final[dict[str, str]]

Value = str | int | float | Callable[[Any, Any, Any], str | int | float]

class TableDevice(Protocol):
    @property
    def table_columns(self) -> Mapping[str, str]: ...
    def table_sources(self) -> Iterable[tuple[TraceSource, Mapping[str, Value]]]: ...

class TableTrace(FileTrace):
    def __init__(
        self, path: str | os.PathLike[str], columns: Mapping[str, str] | None = None
    ) -> None: ...
    @property
    def columns(self) -> dict[str, str]: ...
    @property
    def row_count(self) -> int: ...
    def append(self, *values: str | float) -> None: ...
    def attach(self, *devices: TableDevice | AsciiDevice) -> Self: ...
    def attach_source(
        self,
        source: TraceSource,
        values: Mapping[str, Value],
        *,
        owner: object | None = None,
    ) -> Self: ...
    def __del__(self) -> None: ...
