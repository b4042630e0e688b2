import os
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Any, Protocol, Self

from simcore.trace.block_writer import BinaryFile
from simcore.trace.file_trace import FileTrace
from simcore.trace.source import TraceSource

Encode = Callable[[int, Any, Any, Any], bytes]

class LinkType(IntEnum):
    ETHERNET = 1
    PPP = 9
    RAW_IP = 101
    IEEE802_11 = 105
    IEEE802_11_RADIOTAP = 127

class PcapDevice(Protocol):
    @property
    def pcap_link_types(self) -> Sequence[int]: ...
    def pcap_sources(self) -> Iterable[TraceSource | tuple[TraceSource, Encode]]: ...

class PcapTrace(FileTrace):
    def __init__(
        self,
        file: str | os.PathLike[str] | BinaryFile,
        link_type: LinkType | int | None = None,
        *,
        nanoseconds: bool = True,
        snaplen: int = ...,
        checksum: str | None = "sha256",
    ) -> None: ...
    @property
    def link_type(self) -> LinkType | int | None: ...
    @property
    def snaplen(self) -> int: ...
    @property
    def nanoseconds(self) -> bool: ...
    def attach(self, *devices: PcapDevice) -> Self: ...
    def attach_source(
        self, source: TraceSource, encode: Encode | None = None, *, owner: object | None = None
    ) -> Self: ...
