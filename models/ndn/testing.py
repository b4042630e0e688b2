"""Faces without a network below them, to look at forwarders and strategies by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simcore import Simulator
from simcore.models.ndn.data import Data
from simcore.models.ndn.face import Face
from simcore.models.ndn.forwarder import Forwarder
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpFields


class RecordingFace(Face):
    """Keeps what the forwarder sends.

    Attributes
    ----------
    sent : list of tuple
        (time in ns, ``"I"``, ``"D"`` or ``"N"``, packet, header fields or reason of the Nack).
    """

    def __init__(self, sim: Simulator, **options: Any) -> None:
        super().__init__(**options)
        self.sim = sim
        self.sent: list[tuple[int, str, Any, Any]] = []

    def send_interest(self, interest: Interest, fields: LpFields | None) -> int:
        """Keep an Interest."""
        self.sent.append((self.sim.now(), "I", interest, fields))
        return 0

    def send_data(self, data: Data, fields: LpFields | None) -> int:
        """Keep Data."""
        self.sent.append((self.sim.now(), "D", data, fields))
        return 0

    def send_nack(self, interest: Interest, reason: int, fields: LpFields | None) -> int:
        """Keep a Nack."""
        self.sent.append((self.sim.now(), "N", interest, reason))
        return 0

    def of(self, kind: str) -> list[Any]:
        """Packets of one kind, in order."""
        return [packet for _, what, packet, _ in self.sent if what == kind]


class DelayFace(Face):
    """One end of a link that only delays; while `up` is False it loses what is sent.

    Parameters
    ----------
    sim : Simulator
    delay : int
        ns.
    """

    def __init__(self, sim: Simulator, delay: int) -> None:
        super().__init__()
        self.sim = sim
        self.delay = delay
        self.up = True
        self.peer: DelayFace

    def send_interest(self, interest: Interest, fields: LpFields | None) -> int:
        """Send an Interest to the other end."""
        if self.up:
            self.sim.schedule(self.delay, self.peer.receive_interest, interest, fields)
        return 0

    def send_data(self, data: Data, fields: LpFields | None) -> int:
        """Send Data to the other end."""
        if self.up:
            self.sim.schedule(self.delay, self.peer.receive_data, data, fields)
        return 0

    def send_nack(self, interest: Interest, reason: int, fields: LpFields | None) -> int:
        """Send a Nack to the other end."""
        if self.up:
            self.sim.schedule(self.delay, self.peer.receive_nack, interest, reason, fields)
        return 0


class CallbackFace(Face):
    """A local application that consists of callables.

    Parameters
    ----------
    interest, data : callable, optional
        Called with (face, packet).
    nack : callable, optional
        Called with (face, Interest, reason).
    """

    def __init__(
        self,
        *,
        interest: Callable[[CallbackFace, Interest], Any] | None = None,
        data: Callable[[CallbackFace, Data], Any] | None = None,
        nack: Callable[[CallbackFace, Interest, int], Any] | None = None,
    ) -> None:
        super().__init__(is_local=True)
        self._interest = interest
        self._data = data
        self._nack = nack

    def send_interest(self, interest: Interest, fields: LpFields | None) -> int:
        """Hand an Interest to the application."""
        if self._interest is not None:
            self._interest(self, interest)
        return 0

    def send_data(self, data: Data, fields: LpFields | None) -> int:
        """Hand Data to the application."""
        if self._data is not None:
            self._data(self, data)
        return 0

    def send_nack(self, interest: Interest, reason: int, fields: LpFields | None) -> int:
        """Hand a Nack to the application."""
        if self._nack is not None:
            self._nack(self, interest, reason)
        return 0


def connect(
    sim: Simulator, a: Forwarder, b: Forwarder, delay: int
) -> tuple[DelayFace, DelayFace]:
    """Link two forwarders; the face of each."""
    one, other = DelayFace(sim, delay), DelayFace(sim, delay)
    one.peer, other.peer = other, one
    a.add_face(one)
    b.add_face(other)
    return one, other
