"""Measurements table (NFD Developer's Guide 3.6): what strategies learn about names."""

from __future__ import annotations

from typing import Any

from simcore import Simulator, seconds
from simcore.models.ndn.name import Name

DEFAULT_LIFETIME = seconds(4)

# When more entries than this have been added since the last look, expired ones are dropped.
_SWEEP = 1024


class MeasurementsEntry:
    """What a strategy keeps for a name.

    Attributes
    ----------
    name : Name
    expiry : int
        ns.
    info : object
        The strategy's own; None at first.
    """

    __slots__ = ("expiry", "info", "name")

    def __init__(self, name: Name, expiry: int) -> None:
        self.name = name
        self.expiry = expiry
        self.info: Any = None


class Measurements:
    """Entries by name; one that no strategy extends is gone after 4 s.

    Parameters
    ----------
    sim : Simulator
    """

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim
        self._entries: dict[Name, MeasurementsEntry] = {}
        self._added = 0

    def find(self, name: Name) -> MeasurementsEntry | None:
        """Entry of exactly this name, or None."""
        entry = self._entries.get(name)
        if entry is not None and entry.expiry < self._sim.now():
            del self._entries[name]
            return None
        return entry

    def get(self, name: Name) -> MeasurementsEntry:
        """Entry of a name, made if need be."""
        entry = self.find(name)
        if entry is None:
            self._added += 1
            if self._added >= _SWEEP:
                self._sweep()
            entry = MeasurementsEntry(name, self._sim.now() + DEFAULT_LIFETIME)
            self._entries[name] = entry
        return entry

    def longest(self, name: Name, *, with_info: type | None = None) -> MeasurementsEntry | None:
        """Entry of the longest prefix of a name, if asked for the longest with such an `info`."""
        for n in range(len(name), -1, -1):
            entry = self.find(name.prefix(n))
            if entry is not None and (with_info is None or isinstance(entry.info, with_info)):
                return entry
        return None

    def extend(self, entry: MeasurementsEntry, lifetime: int) -> None:
        """Keep an entry for at least `lifetime` (ns) from now."""
        entry.expiry = max(entry.expiry, self._sim.now() + lifetime)

    def names(self, prefix: Name) -> list[Name]:
        """Names under a prefix that have an entry, in canonical order."""
        return sorted(name for name in self._entries if prefix.is_prefix_of(name))

    def forget(self, name: Name) -> None:
        """Drop what was learnt about a name."""
        self._entries.pop(name, None)

    def _sweep(self) -> None:
        now = self._sim.now()
        for name in [name for name, entry in self._entries.items() if entry.expiry < now]:
            del self._entries[name]
        self._added = 0

    def __len__(self) -> int:
        self._sweep()
        return len(self._entries)
