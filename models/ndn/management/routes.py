"""Routes: the modules ``rib`` and ``fib`` (NFD wiki, "RibMgmt", "FibMgmt")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simcore import ms
from simcore.models.ndn.announcement import ROUTE_COST, PrefixAnnouncement
from simcore.models.ndn.management.control import (
    ControlParameters,
    ControlResponse,
    number,
)
from simcore.models.ndn.management.module import Module, Request, ok, refused
from simcore.models.ndn.rib import MAX_PREFIX, Origin, Route, RouteFlags
from simcore.models.ndn.tlv import TlvError, encode_element

if TYPE_CHECKING:
    from simcore.models.ndn.management.manager import Management

__all__ = ["FibModule", "RibModule", "encode_route"]

_ENTRY = 128
_ROUTE = 129
_NEXT_HOP = 129
_FACE_ID = 105
_COST = 106
_FLAGS = 108
_EXPIRATION = 109
_ORIGIN = 111

#: Longest time that a route is kept (ms), some 139 years: longer ones are for good.
_LONGEST = 1 << 42


def encode_route(route: Route, now: int) -> bytes:
    """Return the element of a route."""
    body = number(_FACE_ID, route.face_id) + number(_ORIGIN, route.origin)
    body += number(_COST, route.cost) + number(_FLAGS, route.flags)
    if route.expires is not None:
        body += number(_EXPIRATION, max(0, route.expires - now) // ms(1))
    return encode_element(_ROUTE, body)


def _too_long(size: int) -> ControlResponse:
    return refused(414, f"prefix has {size} components: at most {MAX_PREFIX} are possible")


class RibModule(Module):
    """``rib``: register, unregister, announce, list."""

    name = "rib"

    def __init__(self, management: Management) -> None:
        super().__init__(management)
        self.rib = management.rib
        self.command(
            "register", self.register, "name", "face_id origin cost flags expiration_period"
        )
        self.command("unregister", self.unregister, "name", "face_id origin")
        self.datasets["list"] = self.list

    def register(self, request: Request) -> ControlResponse:
        """Add a route to the requester, or to a face that it names."""
        given = request.parameters
        assert given.name is not None
        if len(given.name) > MAX_PREFIX:
            return _too_long(len(given.name))
        face = self.face_of(request)
        if face is None:
            return refused(410, "Face not found", given)
        body = given.replaced(
            face_id=face.id,
            origin=given.origin or 0,
            cost=given.cost or 0,
            flags=RouteFlags.CHILD_INHERIT if given.flags is None else given.flags,
        )
        period = given.expiration_period
        self.rib.register(
            given.name,
            face,
            origin=body.origin or 0,
            cost=body.cost or 0,
            flags=body.flags or 0,
            expiration=None if period is None or period >= _LONGEST else ms(period),
        )
        return ok(body)

    def unregister(self, request: Request) -> ControlResponse:
        """Remove a route; none of that kind is no error."""
        given = request.parameters
        assert given.name is not None
        number_of_face = given.face_id or (request.face.id if request.face is not None else 0)
        body = given.replaced(face_id=number_of_face, origin=given.origin or 0)
        self.rib.unregister(given.name, number_of_face, origin=body.origin or 0)
        return ok(body)

    def announce(self, request: Request) -> ControlResponse:
        """Add the route of a prefix announcement to the requester."""
        try:
            announcement = PrefixAnnouncement.from_wire(
                request.interest.application_parameters or b""
            )
        except TlvError as error:
            return refused(400, f"Malformed command: {error}")
        if len(announcement.prefix) > MAX_PREFIX:
            return _too_long(len(announcement.prefix))
        if request.face is None:
            return refused(410, "Face not found")
        self.rib.register(
            announcement.prefix,
            request.face,
            origin=Origin.PREFIX_ANNOUNCEMENT,
            cost=ROUTE_COST,
            expiration=announcement.expiration,
        )
        return ok(
            ControlParameters(
                name=announcement.prefix,
                face_id=request.face.id,
                origin=Origin.PREFIX_ANNOUNCEMENT,
                cost=ROUTE_COST,
                flags=RouteFlags.CHILD_INHERIT,
                expiration_period=announcement.expiration // ms(1),
            )
        )

    def list(self, request: Request) -> Iterator[bytes]:
        """Return all prefixes with their routes."""
        now = self.forwarder.sim.now()
        for prefix, routes in self.rib:
            body = prefix.to_wire() + b"".join([encode_route(route, now) for route in routes])
            yield encode_element(_ENTRY, body)


class FibModule(Module):
    """``fib``: add-nexthop, remove-nexthop, list."""

    name = "fib"

    def __init__(self, management: Management) -> None:
        super().__init__(management)
        self.command("add-nexthop", self.add, "name", "face_id cost")
        self.command("remove-nexthop", self.remove, "name", "face_id")
        self.datasets["list"] = self.list

    def add(self, request: Request) -> ControlResponse:
        """Add a next hop, beside those of the RIB."""
        given = request.parameters
        assert given.name is not None
        if len(given.name) > MAX_PREFIX:
            return _too_long(len(given.name))
        face = self.face_of(request)
        if face is None:
            return refused(410, "Face not found", given)
        self.forwarder.add_route(given.name, face, given.cost or 0)
        return ok(given.replaced(face_id=face.id, cost=given.cost or 0))

    def remove(self, request: Request) -> ControlResponse:
        """Remove a next hop; none of that kind is no error."""
        given = request.parameters
        assert given.name is not None
        face = self.face_of(request)
        if face is not None:
            self.forwarder.fib.remove(given.name, face)
        elif not given.face_id:
            return refused(410, "Face not found", given)
        return ok(given.replaced(face_id=face.id if face is not None else given.face_id))

    def list(self, request: Request) -> Iterator[bytes]:
        """Return all prefixes with their next hops."""
        for entry in sorted(self.forwarder.fib, key=lambda one: one.prefix):
            body = entry.prefix.to_wire()
            for hop in entry.nexthops:
                record = number(_FACE_ID, hop.face.id) + number(_COST, hop.cost)
                body += encode_element(_NEXT_HOP, record)
            yield encode_element(_ENTRY, body)
