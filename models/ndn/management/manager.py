"""NFD's management protocol (NFD wiki, "Management"): who may ask, and how answers are made."""

from __future__ import annotations

import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from simcore import ms, seconds
from simcore.models.ndn.component import Component
from simcore.models.ndn.data import Data
from simcore.models.ndn.face import Face
from simcore.models.ndn.forwarder import Forwarder
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpFields
from simcore.models.ndn.management.control import ControlParameters, ControlResponse
from simcore.models.ndn.management.faces import FacesModule
from simcore.models.ndn.management.module import Module, Request, refused
from simcore.models.ndn.management.routes import FibModule, RibModule
from simcore.models.ndn.management.tables import CsModule, StatusModule, StrategyChoiceModule
from simcore.models.ndn.name import Name
from simcore.models.ndn.rib import Rib
from simcore.models.ndn.tlv import TlvError, elements

__all__ = ["Management", "ManagementFace"]

PREFIX = Name("/localhost/nfd")
REMOTE_PREFIX = Name("/localhop/nfd")

_PREFIX_SIZE = len(PREFIX)
_SEGMENT = 50
_VERSION = 54
_SIGNATURE_INFO = 22
_SIGNATURE_VALUE = 23
_SIGNATURE_TYPE = 27
_DIGEST_SHA256 = b"\x00"
_FRESHNESS = ms(1000)
_SEGMENT_SIZE = 8000
#: Answers in several segments, and events, that are kept for those who ask on.
_KEPT_ANSWERS = 64
_KEPT_EVENTS = 256
_NO_CACHE = LpFields(no_cache=True)


class ManagementFace(Face):
    """The face at which a forwarder's management answers."""

    remote_uri = "internal://"
    local_uri = "internal://"

    def __init__(self, management: Management) -> None:
        super().__init__(is_local=True, description="internal://")
        self._management = management

    def send_interest(self, interest: Interest, fields: LpFields | None) -> int:
        """Hand an Interest to management."""
        self._management.receive(interest)
        return 0

    def send_data(self, data: Data, fields: LpFields | None) -> int:
        """Management asks for nothing."""
        return 0

    def send_nack(self, interest: Interest, reason: int, fields: LpFields | None) -> int:
        """Management asks for nothing."""
        return 0


class Management:
    """Answers NFD's management Interests at a forwarder: routes, faces, tables, status.

    Commands come as signed Interests of format 0.3, or in the older form that has the signature in
    the name. A signature of type DigestSha256 is checked; there are no keys to check others
    against, and no clock to check time stamps against.

    Parameters
    ----------
    forwarder : Forwarder
    authorize : callable, optional
        Called with (module, verb, Interest); False answers 403. By default every signed command is
        carried out, as with NFD's sample configuration.
    localhop : bool
        Let programs on other machines register prefixes for their own face, ``/localhop/nfd/rib``.

    Attributes
    ----------
    rib : Rib
    face : ManagementFace
    faces : FacesModule
    answered, refused : int
        Commands and questions that were carried out, or not.
    """

    version = "simcore"

    def __init__(
        self,
        forwarder: Forwarder,
        *,
        authorize: Callable[[str, str, Interest], bool] | None = None,
        localhop: bool = False,
    ) -> None:
        self.forwarder = forwarder
        self.rib = Rib(forwarder)
        self.answered = 0
        self.refused = 0
        self._authorize = authorize
        self._answers: OrderedDict[Name, list[Data]] = OrderedDict()
        self._events: OrderedDict[Name, tuple[int, Data]] = OrderedDict()
        self._next_event = 0
        self._last_version = 0
        self._after: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        self.faces = FacesModule(self)
        self.rib_module = RibModule(self)
        modules: list[Module] = [
            self.faces,
            self.rib_module,
            FibModule(self),
            StrategyChoiceModule(self),
            CsModule(self),
            StatusModule(self),
        ]
        self.modules = {module.name: module for module in modules}
        self.face = ManagementFace(self)
        forwarder.add_face(self.face)
        self.rib.register(PREFIX, self.face)
        if localhop:
            self.rib.register(REMOTE_PREFIX, self.face)
        forwarder.face_listeners.append(self._face_changed)

    # Interests

    def receive(self, interest: Interest) -> None:
        """Take an Interest; the answer is an event of its own."""
        asker = self._asker(interest)
        self.forwarder.sim.schedule_in_context(
            self.forwarder.node_id, 0, self._answer, interest, asker
        )

    def _asker(self, interest: Interest) -> Face | None:
        """Return the face whose Interest was forwarded: the one that sent exactly this one."""
        entry = self.forwarder.pit.lookup(interest)
        if entry is None:
            return None
        last: Face | None = None
        for face in entry.in_faces:
            state = entry.in_state(face)
            if state is not None and state[0] is interest:
                return face
            last = face
        return last

    def _answer(self, interest: Interest, asker: Face | None) -> None:
        if asker is not None and not asker.is_open:
            return
        name = interest.name
        local = PREFIX.is_prefix_of(name)
        if len(name) < _PREFIX_SIZE + 2:
            return
        module = self.modules.get(name[_PREFIX_SIZE].value.decode(errors="replace"))
        verb = name[_PREFIX_SIZE + 1].value.decode(errors="replace")
        if module is None:
            return
        if not local and module.name != "rib":
            return
        if module.name == "faces" and verb == "events":
            self._answer_events(interest)
        elif verb in module.datasets:
            self._answer_dataset(module, verb, interest, asker)
        elif verb in module.commands:
            response = self._command(module, verb, interest, asker, local)
            self._reply(interest, response)
        elif module is self.rib_module and verb == "announce":
            request = Request(interest, ControlParameters(), asker)
            self._reply(interest, self.rib_module.announce(request))

    def _command(
        self, module: Module, verb: str, interest: Interest, asker: Face | None, local: bool
    ) -> ControlResponse:
        name = interest.name
        try:
            if len(name) < _PREFIX_SIZE + 3:
                raise TlvError("it has no ControlParameters")
            parameters = ControlParameters.from_wire(name[_PREFIX_SIZE + 2].value)
        except TlvError as error:
            return refused(400, f"Malformed command: {error}")
        wrong = _signature_fault(interest)
        if wrong is not None:
            return refused(403, f"not authorized: {wrong}", parameters)
        if self._authorize is not None and not self._authorize(module.name, verb, interest):
            return refused(403, "not authorized", parameters)
        if not local and parameters.face_id:
            return refused(403, "not authorized: only for the face of the sender", parameters)
        command = module.commands[verb]
        wrong = command.check(parameters)
        if wrong is not None:
            return refused(400, f"Malformed command: {wrong}", parameters)
        return command.run(Request(interest, parameters, asker))

    def _reply(self, interest: Interest, response: ControlResponse) -> None:
        if response.code == 200:
            self.answered += 1
        else:
            self.refused += 1
        self._put(Data(interest.name, response.to_wire(), freshness=_FRESHNESS))
        after, self._after = self._after, []
        for action, arguments in after:
            action(*arguments)

    def after_answer(self, action: Callable[..., object], *arguments: Any) -> None:
        """Have something done when the command under way has been answered."""
        self._after.append((action, arguments))

    def _put(self, data: Data) -> None:
        # Names of commands do not come again; questions shall have the answer of the moment.
        self.face.receive_data(data, _NO_CACHE)

    # Datasets

    def _answer_dataset(
        self, module: Module, verb: str, interest: Interest, asker: Face | None
    ) -> None:
        name = interest.name
        last = name[len(name) - 1]
        if last.type in (_VERSION, _SEGMENT):
            versioned = name if last.type == _VERSION else name.prefix(-1)
            for data in self._answers.get(versioned, ()):
                if interest.matches(data):
                    self._put(data)
                    return
            return
        if not interest.can_be_prefix:
            # No packet has this name: those of the answer are longer.
            return
        result = module.datasets[verb](Request(interest, ControlParameters(), asker))
        if isinstance(result, ControlResponse):
            self.refused += 1
            segments = self._segments(name, [result.to_wire()], content_type=3)
        else:
            self.answered += 1
            segments = self._segments(name, result)
        self._put(segments[0])

    def _segments(
        self, name: Name, blocks: Iterable[bytes], content_type: int = 0
    ) -> list[Data]:
        """Make the packets of an answer, and keep them for those who ask for the rest."""
        content = b"".join(blocks)
        parts = [
            content[i : i + _SEGMENT_SIZE] for i in range(0, len(content), _SEGMENT_SIZE)
        ] or [b""]
        version = max(self.forwarder.sim.now() // ms(1), self._last_version + 1)
        self._last_version = version
        versioned = name.append(Component.version(version))
        last = Component.segment(len(parts) - 1)
        segments = [
            Data(
                versioned.append(Component.segment(i)),
                part,
                freshness=_FRESHNESS,
                final_block=last,
                content_type=content_type,
            )
            for i, part in enumerate(parts)
        ]
        if len(segments) > 1:
            self._answers[versioned] = segments
            while len(self._answers) > _KEPT_ANSWERS:
                self._answers.popitem(last=False)
        return segments

    # Events

    def _face_changed(self, face: Face, created: bool) -> None:
        if face is self.face:
            return
        sequence = Component.sequence(self._next_event)
        self._next_event += 1
        name = PREFIX.append("faces", "events", sequence)
        data = Data(name, self.faces.notification(face, created), freshness=_FRESHNESS)
        self._events[name] = (self.forwarder.sim.now(), data)
        while len(self._events) > _KEPT_EVENTS:
            self._events.popitem(last=False)
        # As an event of its own, because a pipeline may be under way.
        self.forwarder.sim.schedule_in_context(self.forwarder.node_id, 0, self._publish, data)

    def _publish(self, data: Data) -> None:
        """Give an event to those who wait for it."""
        if self.forwarder.pit.match(data):
            self._put(data)

    def _answer_events(self, interest: Interest) -> None:
        """Answer with an event that has happened; others will come when they happen."""
        name = interest.name
        if len(name) > _PREFIX_SIZE + 2:
            kept = self._events.get(name)
            if kept is not None:
                self._put(kept[1])
        elif interest.can_be_prefix and self._events:
            when, data = next(reversed(self._events.values()))
            if not interest.must_be_fresh or self.forwarder.sim.now() - when < seconds(1):
                self._put(data)


def _signature_fault(interest: Interest) -> str | None:
    """Return what is wrong with the signature of a command, or None."""
    if interest.application_parameters is not None:
        if interest.signature_info is None or interest.signature_value is None:
            return "the command is not signed"
        kind, portion, value = (
            _signature_type(interest.signature_info),
            interest.signed_portion,
            interest.signature_value,
        )
    else:
        old = _old_signature(interest.name)
        if old is None:
            return "the command is not signed"
        kind, portion, value = old
    if kind is None:
        return "its signature is malformed"
    if kind == _DIGEST_SHA256 and not hmac.compare_digest(
        hashlib.sha256(portion).digest(), value
    ):
        return "its digest is wrong"
    return None


def _signature_type(info: bytes) -> bytes | None:
    try:
        return dict(elements(info)).get(_SIGNATURE_TYPE)
    except TlvError:
        return None


def _old_signature(name: Name) -> tuple[bytes | None, bytes, bytes] | None:
    """Return type, signed portion and value of a signature in the last two components."""
    if len(name) < _PREFIX_SIZE + 7:
        return None
    try:
        [(info_kind, info)] = elements(name[-2].value)
        [(value_kind, value)] = elements(name[-1].value)
    except (TlvError, ValueError):
        return None
    if info_kind != _SIGNATURE_INFO or value_kind != _SIGNATURE_VALUE:
        return None
    return _signature_type(info), name.prefix(len(name) - 1).value, value
