"""Routing information base: routes that programs register, and the next hops they make.

As in NFD ("RIB management", NFD Developer's Guide 3.6): a prefix has routes, each of a face and an
origin. Its next hops are its own routes, the cheapest of each face, and for other faces the
nearest route above it that children inherit; a prefix with a route that captures inherits nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING

from sortedcontainers import SortedDict

from simcore import Event
from simcore.models.ndn.name import Name

if TYPE_CHECKING:
    from simcore.models.ndn.face import Face
    from simcore.models.ndn.forwarder import Forwarder

__all__ = ["MAX_PREFIX", "Origin", "Rib", "Route", "RouteFlags"]

#: Components of the longest prefix that can have a route.
MAX_PREFIX = 32


class Origin(IntEnum):
    """Who made a route (NFD wiki, "RibMgmt")."""

    APP = 0
    AUTOREG = 64
    CLIENT = 65
    AUTOCONF = 66
    NLSR = 128
    PREFIX_ANNOUNCEMENT = 129
    STATIC = 255


class RouteFlags(IntFlag):
    """What a route means for longer prefixes."""

    NONE = 0
    CHILD_INHERIT = 1
    CAPTURE = 2


@dataclass(slots=True)
class Route:
    """One route of a prefix.

    Attributes
    ----------
    face_id, origin : int
        Together they name the route.
    cost, flags : int
    expires : int or None
        Simulated time (ns).
    """

    face_id: int
    origin: int = Origin.APP
    cost: int = 0
    flags: int = RouteFlags.CHILD_INHERIT
    expires: int | None = None
    expiry: Event | None = field(default=None, repr=False, compare=False)


class Rib:
    """Routes of a forwarder, kept in its FIB; those of a face go when it is removed.

    Next hops that others put into the FIB are left alone.

    Parameters
    ----------
    forwarder : Forwarder
    """

    def __init__(self, forwarder: Forwarder) -> None:
        self._forwarder = forwarder
        # In canonical order the prefixes below another follow it.
        self._entries: SortedDict[Name, list[Route]] = SortedDict()
        self._installed: dict[Name, dict[int, int]] = {}
        self._of_face: dict[int, set[Name]] = {}
        forwarder.face_listeners.append(self._face_changed)

    def register(
        self,
        prefix: Name | str,
        face: Face,
        *,
        origin: int = Origin.APP,
        cost: int = 0,
        flags: int = RouteFlags.CHILD_INHERIT,
        expiration: int | None = None,
    ) -> Route:
        """Add a route, or change the one of the same face and origin.

        Parameters
        ----------
        prefix, face, origin, cost, flags
        expiration : int, optional
            How long it holds, ns; for good when not given.

        Raises
        ------
        ValueError
            When the face is not of this forwarder, or the prefix has more than 32 components.
        """
        prefix = Name(prefix)
        if self._forwarder.faces.get(face.id) is not face:
            raise ValueError(f"{face!r} is no face of this forwarder")
        if len(prefix) > MAX_PREFIX:
            raise ValueError(f"prefix has {len(prefix)} components: at most {MAX_PREFIX} are")
        if not 0 <= cost < 1 << 64:
            raise ValueError(f"cost is {cost}: it must be 0 to 2**64 - 1")
        routes = self._entries.setdefault(prefix, [])
        route = _find(routes, face.id, origin)
        if route is None:
            route = Route(face.id, origin)
            routes.append(route)
            self._of_face.setdefault(face.id, set()).add(prefix)
        if route.expiry is not None:
            route.expiry.cancel()
        route.cost = cost
        route.flags = flags
        route.expires = route.expiry = None
        if expiration is not None:
            sim = self._forwarder.sim
            route.expires = sim.now() + expiration
            route.expiry = sim.schedule(expiration, self._expire, prefix, face.id, origin)
        self._update(prefix)
        return route

    def unregister(
        self, prefix: Name | str, face: Face | int, *, origin: int = Origin.APP
    ) -> bool:
        """Remove a route; False when there is none."""
        prefix = Name(prefix)
        number = face if isinstance(face, int) else face.id
        routes = self._entries.get(prefix, [])
        route = _find(routes, number, origin)
        if route is None:
            return False
        if route.expiry is not None:
            route.expiry.cancel()
        routes.remove(route)
        if all(other.face_id != number for other in routes):
            self._of_face[number].discard(prefix)
        if not routes:
            del self._entries[prefix]
        self._update(prefix)
        return True

    def _expire(self, prefix: Name, face_id: int, origin: int) -> None:
        self.unregister(prefix, face_id, origin=origin)

    def routes(self, prefix: Name | str) -> list[Route]:
        """Return the routes of exactly this prefix."""
        return list(self._entries.get(Name(prefix), []))

    def __iter__(self) -> Iterator[tuple[Name, list[Route]]]:
        return iter([(prefix, list(routes)) for prefix, routes in self._entries.items()])

    def __len__(self) -> int:
        return len(self._entries)

    def _face_changed(self, face: Face, added: bool) -> None:
        if added:
            return
        for prefix in sorted(self._of_face.pop(face.id, ())):
            routes = self._entries[prefix]
            for route in [route for route in routes if route.face_id == face.id]:
                if route.expiry is not None:
                    route.expiry.cancel()
                routes.remove(route)
            if not routes:
                del self._entries[prefix]
            self._update(prefix)

    def _update(self, changed: Name) -> None:
        """Bring the FIB up to date for a prefix and those below it."""
        below = []
        for prefix in self._entries.irange(changed):
            if not changed.is_prefix_of(prefix):
                break
            below.append(prefix)
        if changed not in self._entries:
            self._install(changed, {})
        for prefix in below:
            self._install(prefix, self._nexthops(prefix))

    def _nexthops(self, prefix: Name) -> dict[int, int]:
        """Cost by face."""
        routes = self._entries[prefix]
        found: dict[int, int] = {}
        for route in routes:
            found[route.face_id] = min(route.cost, found.get(route.face_id, route.cost))
        if any(route.flags & RouteFlags.CAPTURE for route in routes):
            return found
        for n in range(len(prefix) - 1, -1, -1):
            above = self._entries.get(prefix.prefix(n))
            if above is None:
                continue
            inherited: dict[int, int] = {}
            for route in above:
                if route.flags & RouteFlags.CHILD_INHERIT:
                    known = inherited.get(route.face_id, route.cost)
                    inherited[route.face_id] = min(route.cost, known)
            for number, cost in inherited.items():
                found.setdefault(number, cost)
            if any(route.flags & RouteFlags.CAPTURE for route in above):
                break
        return found

    def _install(self, prefix: Name, wanted: dict[int, int]) -> None:
        fib, faces = self._forwarder.fib, self._forwarder.faces
        present = self._installed.pop(prefix, {})
        for number in sorted(present.keys() - wanted.keys()):
            # A face that was removed has taken its next hops along.
            if number in faces:
                fib.remove(prefix, faces[number])
        for number, cost in sorted(wanted.items()):
            if present.get(number) != cost and number in faces:
                fib.add(prefix, faces[number], cost)
        if wanted:
            self._installed[prefix] = wanted


def _find(routes: list[Route], face_id: int, origin: int) -> Route | None:
    for route in routes:
        if route.face_id == face_id and route.origin == origin:
            return route
    return None
