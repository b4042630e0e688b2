"""The readable reference: a `sortedcontainers.SortedList` of (time, insertion number, slot)."""

from __future__ import annotations

from sortedcontainers import SortedList


class SortedEventSet:
    """Pending entries in one sorted list.

    Insert, remove and pop are O(log n) with the constants of Python code; some 250 bytes an
    entry. For tests and for reading, not for speed.
    """

    def __init__(self) -> None:
        self._entries: SortedList = SortedList()
        self._by_slot: dict[int, tuple[int, int, int]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def insert(self, time: int, number: int, slot: int) -> None:
        """Add an entry; ``number`` orders the entries of one time (nanoseconds)."""
        entry = (time, number, slot)
        self._entries.add(entry)
        self._by_slot[slot] = entry

    def remove(self, slot: int) -> None:
        """Take out the entry of a slot."""
        self._entries.remove(self._by_slot.pop(slot))

    def peek(self) -> tuple[int, int, int] | None:
        """Earliest (time, number, slot), which stays; None when there is none."""
        return self._entries[0] if self._entries else None

    def take(self) -> tuple[int, int, int]:
        """Earliest (time, number, slot), taken out."""
        entry: tuple[int, int, int] = self._entries.pop(0)
        del self._by_slot[entry[2]]
        return entry
