"""Control commands and their answers (NFD wiki, "ControlCommand")."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from simcore.models.ndn.name import Name
from simcore.models.ndn.tlv import (
    TlvError,
    decode_nonnegative,
    elements,
    encode_element,
    encode_nonnegative,
    is_critical,
)

__all__ = ["ControlParameters", "ControlResponse", "number", "text"]

CONTROL_PARAMETERS = 104
CONTROL_RESPONSE = 101
STATUS_CODE = 102
STATUS_TEXT = 103
NAME = 7
STRATEGY = 107


def number(type: int, value: int) -> bytes:
    """Element of a number."""
    return encode_element(type, encode_nonnegative(value))


def text(type: int, value: str) -> bytes:
    """Element of a text."""
    return encode_element(type, value.encode())


@dataclass
class ControlParameters:
    """What a command is about; fields that are None are absent.

    `expiration_period` and `base_congestion_marking_interval` are in ms and ns, as on the wire.
    """

    name: Name | None = None
    face_id: int | None = None
    uri: str | None = None
    local_uri: str | None = None
    origin: int | None = None
    cost: int | None = None
    capacity: int | None = None
    count: int | None = None
    base_congestion_marking_interval: int | None = None
    default_congestion_threshold: int | None = None
    mtu: int | None = None
    flags: int | None = None
    mask: int | None = None
    strategy: Name | None = None
    expiration_period: int | None = None
    face_persistency: int | None = None

    @staticmethod
    def from_wire(wire: bytes) -> ControlParameters:
        """Parameters of their element.

        Raises
        ------
        TlvError
            When it is malformed.
        """
        found = elements(wire)
        if len(found) != 1 or found[0][0] != CONTROL_PARAMETERS:
            raise TlvError("this is no ControlParameters element")
        result = ControlParameters()
        for kind, value in elements(found[0][1]):
            field = _FIELDS.get(kind)
            if field is None:
                if is_critical(kind):
                    raise TlvError(f"ControlParameters has an unknown element of type {kind}")
                continue
            if getattr(result, field) is not None:
                raise TlvError(f"ControlParameters has {field} twice")
            setattr(result, field, _decode(kind, value))
        return result

    def to_wire(self) -> bytes:
        """Return the element, in the order that clients expect."""
        body = b""
        for kind, field in _FIELDS.items():
            value = getattr(self, field)
            if value is None:
                continue
            if kind == NAME:
                body += value.to_wire()
            elif kind == STRATEGY:
                body += encode_element(STRATEGY, value.to_wire())
            elif isinstance(value, str):
                body += text(kind, value)
            else:
                body += number(kind, value)
        return encode_element(CONTROL_PARAMETERS, body)

    def present(self) -> set[str]:
        """Return the names of the fields that are there."""
        return {
            field.name
            for field in dataclasses.fields(self)
            if getattr(self, field.name) is not None
        }

    def replaced(self, **changes: Any) -> ControlParameters:
        """Return a copy with other fields."""
        return dataclasses.replace(self, **changes)

    def flag(self, bit: int) -> bool | None:
        """Return what a flag is to be; None when the mask leaves it alone."""
        if self.mask is None or not self.mask >> bit & 1:
            return None
        return bool((self.flags or 0) >> bit & 1)


# In the order of the wire, ndn-cxx's.
_FIELDS = {
    7: "name",
    105: "face_id",
    114: "uri",
    129: "local_uri",
    111: "origin",
    106: "cost",
    131: "capacity",
    132: "count",
    108: "flags",
    112: "mask",
    107: "strategy",
    109: "expiration_period",
    133: "face_persistency",
    135: "base_congestion_marking_interval",
    136: "default_congestion_threshold",
    137: "mtu",
}
_TEXTS = {114, 129}


def _decode(kind: int, value: bytes) -> Any:
    if kind == NAME:
        return Name.from_wire(encode_element(NAME, value))
    if kind == STRATEGY:
        return Name.from_wire(value)
    if kind in _TEXTS:
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise TlvError(f"{_FIELDS[kind]} is no UTF-8 text") from None
    return decode_nonnegative(value)


@dataclass
class ControlResponse:
    """Answer to a command.

    The body is there also where a command failed: python-ndn 0.5 fails without one.
    """

    code: int
    text: str
    body: ControlParameters | None = None

    def to_wire(self) -> bytes:
        """Return the element."""
        value = number(STATUS_CODE, self.code) + text(STATUS_TEXT, self.text)
        value += (self.body or ControlParameters()).to_wire()
        return encode_element(CONTROL_RESPONSE, value)

    @staticmethod
    def from_wire(wire: bytes) -> ControlResponse:
        """Answer of its element.

        Raises
        ------
        TlvError
            When it is malformed.
        """
        found = elements(wire)
        if len(found) != 1 or found[0][0] != CONTROL_RESPONSE:
            raise TlvError("this is no ControlResponse element")
        code, words, body = 0, "", None
        for kind, value in elements(found[0][1]):
            if kind == STATUS_CODE:
                code = decode_nonnegative(value)
            elif kind == STATUS_TEXT:
                words = value.decode(errors="replace")
            elif kind == CONTROL_PARAMETERS:
                body = ControlParameters.from_wire(encode_element(kind, value))
        return ControlResponse(code, words, body)
