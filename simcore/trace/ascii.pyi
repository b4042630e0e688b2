import os
from collections.abc import Iterable
from typing import Final, Protocol, Self

from simcore.trace.block_writer import BinaryFile
from simcore.trace.file_trace import FileTrace
from simcore.trace.source import TraceSource

EVENT_LETTERS: Final[str]

class AsciiDevice(Protocol):
    def ascii_sources(self) -> Iterable[tuple[str, TraceSource, str]]: ...

class AsciiTrace(FileTrace):
    def __init__(
        self,
        file: str | os.PathLike[str] | BinaryFile,
        *,
        line_buffered: bool = False,
        checksum: str | None = "lines",
    ) -> None: ...
    def attach(self, *devices: AsciiDevice) -> Self: ...
    def attach_source(
        self, letter: str, source: TraceSource, path: str, *, owner: object | None = None
    ) -> Self: ...
