"""Network region table (NFD Developer's Guide 3.8): where a forwarding hint has led to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simcore.models.ndn.name import Name


class NetworkRegionTable:
    """Names of the regions that a node is in.

    Parameters
    ----------
    regions : iterable of Name or str
    """

    def __init__(self, regions: Iterable[Name | str] = ()) -> None:
        self._regions: dict[Name, None] = {}
        for region in regions:
            self.add(region)

    def add(self, region: Name | str) -> None:
        """Put the node into a region."""
        self._regions[Name(region)] = None

    def remove(self, region: Name | str) -> None:
        """Take the node out of a region."""
        self._regions.pop(Name(region), None)

    def is_in_producer_region(self, forwarding_hint: Iterable[Name]) -> bool:
        """Whether a delegation of the hint is a prefix of a region's name."""
        return any(
            delegation.is_prefix_of(region)
            for delegation in forwarding_hint
            for region in self._regions
        )

    def __len__(self) -> int:
        return len(self._regions)

    def __iter__(self) -> Iterator[Name]:
        return iter(sorted(self._regions))
