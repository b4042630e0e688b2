"""What the parts of management have in common: commands with their fields, and datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simcore.models.ndn.management.control import ControlParameters, ControlResponse

if TYPE_CHECKING:
    from simcore.models.ndn.face import Face
    from simcore.models.ndn.interest import Interest
    from simcore.models.ndn.management.manager import Management

__all__ = ["Command", "Module", "Request", "ok", "refused"]


@dataclass
class Request:
    """A command or a question.

    Attributes
    ----------
    interest : Interest
    parameters : ControlParameters
        Of a command.
    face : Face or None
        That of the requester.
    """

    interest: Interest
    parameters: ControlParameters
    face: Face | None


@dataclass(frozen=True)
class Command:
    """A command: what it does, which fields it must and may have, and their defaults."""

    run: Callable[[Request], ControlResponse]
    required: frozenset[str]
    optional: frozenset[str]

    def check(self, parameters: ControlParameters) -> str | None:
        """Return what is wrong with parameters, or None."""
        present = parameters.present()
        missing = sorted(self.required - present)
        if missing:
            return f"{missing[0]} is missing"
        foreign = sorted(present - self.required - self.optional)
        if foreign:
            return f"{foreign[0]} does not belong here"
        if ("flags" in present) != ("mask" in present) and "mask" in self.optional:
            return "flags and mask belong together"
        return None


class Module:
    """One part of management: its commands and datasets by verb.

    Parameters
    ----------
    management : Management
    """

    name = ""

    def __init__(self, management: Management) -> None:
        self.management = management
        self.forwarder = management.forwarder
        self.commands: dict[str, Command] = {}
        self.datasets: dict[str, Callable[[Request], Iterable[bytes] | ControlResponse]] = {}

    def command(
        self,
        verb: str,
        run: Callable[[Request], ControlResponse],
        required: str = "",
        optional: str = "",
    ) -> None:
        """Declare a command; fields are separated by spaces."""
        self.commands[verb] = Command(
            run, frozenset(required.split()), frozenset(optional.split())
        )

    def face_of(self, request: Request) -> Face | None:
        """Return the face that a command is about: 0 or none is the requester's."""
        if not request.parameters.face_id:
            return request.face
        return self.forwarder.faces.get(request.parameters.face_id)


def ok(body: ControlParameters) -> ControlResponse:
    """Return the answer of a command that was carried out."""
    return ControlResponse(200, "OK", body)


def refused(code: int, words: str, body: ControlParameters | None = None) -> ControlResponse:
    """Return the answer of a command that was not."""
    return ControlResponse(code, words, body)
