"""The module ``faces`` (NFD wiki, "FaceMgmt")."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simcore.models.ndn.face import Face
from simcore.models.ndn.management.control import (
    ControlParameters,
    ControlResponse,
    number,
    text,
)
from simcore.models.ndn.management.module import Module, Request, ok, refused
from simcore.models.ndn.tlv import TlvError, decode_nonnegative, elements, encode_element

if TYPE_CHECKING:
    from simcore.models.ndn.management.manager import Management

__all__ = ["FaceError", "FacesModule", "encode_face_status", "face_facts"]

# Bits of a face's flags.
LOCAL_FIELDS = 0
RELIABILITY = 1
CONGESTION_MARKING = 2

PERSISTENT, ON_DEMAND, PERMANENT = 0, 1, 2
CREATED, DESTROYED = 1, 2

_MAX_PACKET = 8800
_FACE_STATUS = 128
_CHANNEL_STATUS = 130
_QUERY_FILTER = 150
_EVENT = 192
_EVENT_KIND = 193
#: Numbers below belong to the forwarder itself.
_FIRST_FACE = 256


class FaceError(Exception):
    """A face that cannot be made; `code` is the status to answer."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class FaceFacts:
    """What management tells of a face, whatever its kind."""

    face_id: int
    uri: str
    local_uri: str
    scope: int
    persistency: int
    link_type: int
    flags: int
    mtu: int | None = None
    expiration: int | None = None
    marking_interval: int | None = None
    marking_threshold: int | None = None

    @property
    def schemes(self) -> tuple[str, str]:
        """Schemes of both URIs."""
        return self.uri.partition(":")[0], self.local_uri.partition(":")[0]


def face_facts(face: Face) -> FaceFacts:
    """Return the facts of a face; what its kind does not have is left out."""
    unknown = "internal://" if face.is_local else f"netdev://{face.description or face.id}"
    if "://" in face.description:
        unknown = face.description
    neighbour = getattr(face, "remote", None)
    service = getattr(face, "service", None)
    marker = getattr(service, "marker", None)
    flags = 0
    if getattr(face, "local_fields", False) or getattr(service, "local_fields", False):
        flags |= 1 << LOCAL_FIELDS
    if getattr(service, "reliability", None) is not None:
        flags |= 1 << RELIABILITY
    if marker is not None or hasattr(face, "congestion_marked"):
        flags |= 1 << CONGESTION_MARKING
    return FaceFacts(
        face_id=face.id,
        uri=getattr(
            face, "remote_uri", unknown if neighbour is None else f"netdev://[{neighbour}]"
        ),
        local_uri=getattr(face, "local_uri", unknown),
        scope=1 if face.is_local else 0,
        persistency=getattr(face, "persistency", PERMANENT),
        link_type=face.link_type,
        flags=flags,
        mtu=_MAX_PACKET if hasattr(face, "stream") else getattr(service, "mtu", None),
        marking_interval=None if marker is None else marker.interval,
        marking_threshold=None if marker is None else marker.threshold,
    )


def _common(facts: FaceFacts) -> bytes:
    return number(105, facts.face_id) + text(114, facts.uri) + text(129, facts.local_uri)


def encode_face_status(facts: FaceFacts, counters: Any) -> bytes:
    """Return the element of a face's status; `counters` as `FaceCounters` has them."""
    body = _common(facts)
    if facts.expiration is not None:
        body += number(109, facts.expiration)
    body += number(132, facts.scope) + number(133, facts.persistency) + number(134, facts.link_type)
    for kind, value in (
        (135, facts.marking_interval),
        (136, facts.marking_threshold),
        (137, facts.mtu),
    ):
        if value is not None:
            body += number(kind, value)
    for kind, value in (
        (144, counters.in_interests),
        (145, counters.in_data),
        (151, counters.in_nacks),
        (146, counters.out_interests),
        (147, counters.out_data),
        (152, counters.out_nacks),
        (148, counters.in_bytes),
        (149, counters.out_bytes),
        (108, facts.flags),
    ):
        body += number(kind, value)
    return encode_element(_FACE_STATUS, body)


class FacesModule(Module):
    """``faces``: create, update, destroy, list, query, channels; events are sent elsewhere.

    Attributes
    ----------
    factories : dict
        For a scheme of URIs, a callable (parameters) that makes a face, added to the forwarder, or
        raises `FaceError`.
    channels : list of str
        URIs that listen for connections.
    """

    name = "faces"

    def __init__(self, management: Management) -> None:
        super().__init__(management)
        self.factories: dict[str, Callable[[ControlParameters], Face]] = {}
        self.channels: list[str] = []
        self.command(
            "create",
            self.create,
            "uri",
            "local_uri face_persistency base_congestion_marking_interval"
            " default_congestion_threshold mtu flags mask",
        )
        self.command(
            "update",
            self.update,
            "",
            "face_id face_persistency base_congestion_marking_interval"
            " default_congestion_threshold mtu flags mask",
        )
        self.command("destroy", self.destroy, "face_id")
        self.datasets["list"] = self.list
        self.datasets["query"] = self.query
        self.datasets["channels"] = self.list_channels

    def _described(self, face: Face, with_uris: bool = False) -> ControlParameters:
        facts = face_facts(face)
        return ControlParameters(
            face_id=facts.face_id,
            uri=facts.uri if with_uris else None,
            local_uri=facts.local_uri if with_uris else None,
            face_persistency=facts.persistency,
            mtu=facts.mtu,
            flags=facts.flags,
        )

    def create(self, request: Request) -> ControlResponse:
        """Make a face towards another forwarder."""
        given = request.parameters
        scheme, found, rest = (given.uri or "").partition("://")
        if not found or not rest:
            return refused(400, "Malformed command: uri is no FaceUri", given)
        for face in self.forwarder.faces.values():
            if getattr(face, "remote_uri", None) == given.uri:
                return refused(
                    409, "Face with remote URI already exists", self._described(face, True)
                )
        factory = self.factories.get(scheme)
        if factory is None:
            return refused(406, "Unsupported protocol", given)
        try:
            face = factory(given)
        except FaceError as error:
            return refused(error.code, str(error), given)
        return ok(self._described(face, True))

    def update(self, request: Request) -> ControlResponse:
        """Change a face; nothing changes when some property cannot be."""
        given = request.parameters
        face = self.face_of(request)
        if face is None:
            return refused(404, "Specified face does not exist", given)
        local_fields = given.flag(LOCAL_FIELDS)
        invalid = ControlParameters()
        wrong_flags = 0
        live = hasattr(face, "local_fields") and hasattr(face, "persistency")
        if local_fields and not (live and face.is_local):
            wrong_flags |= 1 << LOCAL_FIELDS
        # The others are as they are: a stream, for one, needs no acknowledgements.
        changed = ((given.flags or 0) ^ face_facts(face).flags) & (given.mask or 0)
        wrong_flags |= changed & ~(1 << LOCAL_FIELDS)
        if wrong_flags:
            invalid.flags = invalid.mask = wrong_flags
        if given.mtu is not None:
            invalid.mtu = given.mtu
        persistency = given.face_persistency
        if persistency is not None and persistency != face_facts(face).persistency:
            outgoing = live and face_facts(face).persistency != ON_DEMAND
            if not outgoing or persistency not in (PERSISTENT, PERMANENT):
                invalid.face_persistency = persistency
        if invalid.present():
            return refused(409, "Invalid properties specified", invalid)
        if live and local_fields is not None:
            vars_of: Any = face
            vars_of.local_fields = local_fields
        if live and persistency is not None:
            vars_of = face
            vars_of.persistency = persistency
        return ok(self._described(face))

    def destroy(self, request: Request) -> ControlResponse:
        """Close a face, after the answer; one that does not exist is no error."""
        given = request.parameters
        assert given.face_id is not None
        if given.face_id < _FIRST_FACE or given.face_id == self.management.face.id:
            return refused(400, "Malformed command: the forwarder needs that face", given)
        face = self.forwarder.faces.get(given.face_id)
        if face is not None:
            self.management.after_answer(self._close, face)
        return ok(given)

    def _close(self, face: Face) -> None:
        close = getattr(face, "close", None)
        if close is not None:
            close()
        if face.id in self.forwarder.faces:
            self.forwarder.remove_face(face)

    def list(self, request: Request) -> Iterator[bytes]:
        """Return the status of all faces."""
        for _, face in sorted(self.forwarder.faces.items()):
            yield encode_face_status(face_facts(face), face.counters)

    def query(self, request: Request) -> Iterator[bytes] | ControlResponse:
        """Return the status of the faces that a filter selects."""
        try:
            wanted = _parse_filter(request)
        except TlvError as error:
            return refused(400, f"Malformed filter: {error}")
        return self._selected(wanted)

    def _selected(self, wanted: dict[int, Any]) -> Iterator[bytes]:
        for _, face in sorted(self.forwarder.faces.items()):
            facts = face_facts(face)
            having = {
                105: facts.face_id,
                114: facts.uri,
                129: facts.local_uri,
                132: facts.scope,
                133: facts.persistency,
                134: facts.link_type,
            }
            if all(
                value in facts.schemes if kind == 131 else having[kind] == value
                for kind, value in wanted.items()
            ):
                yield encode_face_status(facts, face.counters)

    def list_channels(self, request: Request) -> Iterator[bytes]:
        """Return the addresses that are listened on."""
        for uri in self.channels:
            yield encode_element(_CHANNEL_STATUS, text(129, uri))

    def notification(self, face: Face, created: bool) -> bytes:
        """Return the content of the event that a face came or went."""
        facts = face_facts(face)
        body = number(_EVENT_KIND, CREATED if created else DESTROYED) + _common(facts)
        body += number(132, facts.scope) + number(133, facts.persistency)
        body += number(134, facts.link_type) + number(108, facts.flags)
        return encode_element(_EVENT, body)


def _parse_filter(request: Request) -> dict[int, Any]:
    name = request.interest.name
    if len(name) < 5:
        raise TlvError("there is none")
    found = elements(name[4].value)
    if len(found) != 1 or found[0][0] != _QUERY_FILTER:
        raise TlvError("it is no FaceQueryFilter element")
    wanted: dict[int, Any] = {}
    for kind, value in elements(found[0][1]):
        if kind in (114, 129, 131):
            wanted[kind] = value.decode(errors="replace")
        elif kind in (105, 132, 133, 134):
            wanted[kind] = decode_nonnegative(value)
        else:
            raise TlvError(f"it has an unknown element of type {kind}")
    return wanted
