"""Traces: sources that models emit to, and the files that record them."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simcore.trace.ascii import AsciiTrace
    from simcore.trace.pcap import LinkType, PcapTrace
    from simcore.trace.source import TraceSet, TraceSource
    from simcore.trace.table import TableTrace

__all__ = ["AsciiTrace", "LinkType", "PcapTrace", "TableTrace", "TraceSet", "TraceSource"]

# Imported when used: a model that only emits does not load the writers.
_MODULES = {
    "AsciiTrace": "ascii",
    "LinkType": "pcap",
    "PcapTrace": "pcap",
    "TableTrace": "table",
    "TraceSet": "source",
    "TraceSource": "source",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
