"""Prefix announcements and the routes that they make (NFD wiki, "PrefixAnnouncement").

Validity periods are times of a calendar, which a simulation does not have: they are kept, and not
looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simcore import Event, ms
from simcore.models.ndn.component import Component
from simcore.models.ndn.data import Data
from simcore.models.ndn.name import Name
from simcore.models.ndn.tlv import (
    TlvError,
    decode_nonnegative,
    elements,
    encode_element,
    encode_nonnegative,
)

if TYPE_CHECKING:
    from simcore.models.ndn.face import Face
    from simcore.models.ndn.forwarder import Forwarder
    from simcore.models.ndn.security import Signer

_KEYWORD = Component.keyword(b"PA")
_VERSION_TYPE = 54
_SEGMENT_TYPE = 50
_CONTENT_TYPE = 5
_EXPIRATION_PERIOD = 109
_VALIDITY_PERIOD = 253

# Cost of a route that an announcement made, NFD's PA_ROUTE_COST.
ROUTE_COST = 2048


@dataclass(frozen=True)
class PrefixAnnouncement:
    """Says that its sender can be asked for a prefix.

    Parameters
    ----------
    prefix : Name
    expiration : int
        How long it holds, ns.
    wire : bytes
        The Data that says so.
    """

    prefix: Name
    expiration: int
    wire: bytes

    @staticmethod
    def make(
        prefix: Name | str, expiration: int, *, version: int = 0, signer: Signer | None = None
    ) -> PrefixAnnouncement:
        """Announcement of a prefix for `expiration` (ns, whole milliseconds)."""
        prefix = Name(prefix)
        name = prefix.append(_KEYWORD, Component.version(version), Component.segment(0))
        content = encode_element(_EXPIRATION_PERIOD, encode_nonnegative(expiration // ms(1)))
        data = Data(name, content, content_type=_CONTENT_TYPE, signer=signer)
        return PrefixAnnouncement(prefix, expiration, data.to_wire())

    @staticmethod
    def from_wire(wire: bytes) -> PrefixAnnouncement:
        """Announcement of its Data.

        Raises
        ------
        TlvError
            When the Data is none.
        """
        data = Data.from_wire(wire)
        end = list(data.name[-3:])
        if (
            len(end) < 3
            or end[0] != _KEYWORD
            or end[1].type != _VERSION_TYPE
            or end[2] != Component.segment(0)
            or data.content_type != _CONTENT_TYPE
        ):
            raise TlvError(f"Data {data.name} is no prefix announcement")
        fields = elements(data.content or b"")
        if not fields or fields[0][0] != _EXPIRATION_PERIOD:
            raise TlvError("prefix announcement has no ExpirationPeriod")
        expiration = min(decode_nonnegative(fields[0][1]), 1 << 42)
        return PrefixAnnouncement(data.name.prefix(-3), ms(expiration), wire)


@dataclass
class _Route:
    announcement: PrefixAnnouncement
    face: Face
    holds_until: int
    expiry: Event


class AnnouncedRoutes:
    """Routes that announcements made, each until it expires.

    Parameters
    ----------
    forwarder : Forwarder
    """

    def __init__(self, forwarder: Forwarder) -> None:
        self._forwarder = forwarder
        self._routes: dict[tuple[Name, int], _Route] = {}

    def announce(self, announcement: PrefixAnnouncement, face: Face, lifetime: int) -> None:
        """Make a route to a face, for at most `lifetime` (ns), or bring it up to date."""
        sim = self._forwarder.sim
        key = (announcement.prefix, face.id)
        old = self._routes.pop(key, None)
        if old is not None:
            old.expiry.cancel()
        delay = min(announcement.expiration, lifetime)
        if delay <= 0:
            if old is not None:
                self._forwarder.fib.remove(announcement.prefix, face)
            return
        self._routes[key] = _Route(
            announcement, face, sim.now() + announcement.expiration,
            sim.schedule(delay, self._expire, key),
        )
        self._forwarder.add_route(announcement.prefix, face, ROUTE_COST)

    def renew(self, name: Name, face: Face, lifetime: int) -> bool:
        """Let the route of a name to a face live for `lifetime` (ns), or end it at 0.

        Returns
        -------
        bool
            False when no announcement made such a route.
        """
        sim = self._forwarder.sim
        for n in range(len(name), -1, -1):
            key = (name.prefix(n), face.id)
            route = self._routes.get(key)
            if route is not None:
                route.expiry.cancel()
                delay = min(route.holds_until - sim.now(), lifetime)
                if delay > 0:
                    route.expiry = sim.schedule(delay, self._expire, key)
                else:
                    self._expire(key)
                return True
        return False

    def find(self, name: Name) -> PrefixAnnouncement | None:
        """Announcement of the longest prefix of a name."""
        found = [
            route.announcement
            for (prefix, _), route in self._routes.items()
            if prefix.is_prefix_of(name)
        ]
        return max(found, key=lambda one: len(one.prefix), default=None)

    def _expire(self, key: tuple[Name, int]) -> None:
        route = self._routes.pop(key)
        self._forwarder.fib.remove(key[0], route.face)

    def __len__(self) -> int:
        return len(self._routes)
