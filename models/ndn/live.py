"""Live faces: a simulated node listens for real programs, on a Unix socket or a TCP port."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

from simcore.bridge import Address, AddressError, RealTime, StreamServer
from simcore.models.ndn.forwarder import Forwarder
from simcore.models.ndn.live_face import LiveFace
from simcore.models.ndn.management import ControlParameters, FaceError, Management

__all__ = ["LiveListener", "listen"]

#: NFD's port.
DEFAULT_PORT = 6363

_ON_DEMAND = 1
_OWNER = "ndn/management"


class LiveListener:
    """Accepts programs as faces of a forwarder; made by `listen`.

    Attributes
    ----------
    address : Address
        Where it listens; its text is what ``NDN_CLIENT_TRANSPORT`` of a program must be.
    faces : set of LiveFace
        Those that are connected.
    management : Management
    """

    def __init__(
        self,
        forwarder: Forwarder,
        clock: RealTime,
        address: Address,
        management: Management,
        *,
        queue_limit: int,
        **server: Any,
    ) -> None:
        self.forwarder = forwarder
        self.management = management
        self.faces: set[LiveFace] = set()
        self.framing_lost = 0
        self._clock = clock
        self._queue_limit = queue_limit
        self._server = StreamServer(
            clock, address, self._connected, context=forwarder.node_id, **server
        )
        self.address = self._server.address
        management.faces.channels.append(str(self.address))
        forwarder.face_listeners.append(self._face_changed)

    @property
    def accepted(self) -> int:
        """Connections taken so far."""
        return self._server.accepted

    @property
    def refused(self) -> int:
        """Connections turned away because there were too many."""
        return self._server.refused

    def _connected(self, sock: socket.socket, remote: str) -> None:
        local = self.address.scheme == "unix" or _is_loopback(remote)
        if self.address.scheme != "unix":
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        face = LiveFace(
            self._clock,
            sock,
            context=self.forwarder.node_id,
            is_local=local,
            remote_uri=remote,
            local_uri=str(self.address),
            persistency=_ON_DEMAND,
            queue_limit=self._queue_limit,
        )
        self.faces.add(face)
        self.forwarder.add_face(face)

    def _face_changed(self, face: Any, added: bool) -> None:
        if not added and face in self.faces:
            self.faces.remove(face)
            self.framing_lost += face.framing_lost
            self._server.released()

    def close(self) -> None:
        """Listen no longer and close the faces; safe to call twice."""
        self._server.close()
        for face in sorted(self.faces, key=lambda one: one.id):
            face.close()
        if self._face_changed in self.forwarder.face_listeners:
            self.forwarder.face_listeners.remove(self._face_changed)
            self.management.faces.channels.remove(str(self.address))

    def __repr__(self) -> str:
        return f"<LiveListener {self.address} {len(self.faces)} faces>"


def listen(
    forwarder: Forwarder,
    address: Address | str,
    *,
    queue_limit: int = 1 << 20,
    max_connections: int = 4096,
    mode: int = 0o600,
    insecure: bool = False,
    localhop: bool = False,
) -> LiveListener:
    """Let programs connect to a forwarder of a simulation in real time.

    A program uses it as it would use NFD: ``NDN_CLIENT_TRANSPORT=unix:///tmp/n3.sock``. The first
    listener of a forwarder gives it `Management`.

    Parameters
    ----------
    forwarder : Forwarder
    address : Address or str
        ``unix:///path`` or ``tcp4://127.0.0.1:6363``; port 0 lets the system choose.
    queue_limit : int
        Bytes that may wait for a slow program; further packets are dropped and counted.
    max_connections : int
    mode : int
        Permissions of the Unix socket's file.
    insecure : bool
        Allow an address that other machines can reach.
    localhop : bool
        Let programs on other machines register prefixes.

    Returns
    -------
    LiveListener
        To be closed at the end, so that the socket's file goes.

    Raises
    ------
    ValueError
        When the simulation is not in real time.
    AddressError
        When it cannot listen there.
    """
    sim = forwarder.sim
    clock = sim.pacer
    if not isinstance(clock, RealTime):
        raise ValueError(
            "live faces need a simulation in real time: Simulator(realtime=True), or RealTime(sim)"
            " in a scenario's build"
        )
    if isinstance(address, str):
        address = Address.parse(address, DEFAULT_PORT)
    key = f"{_OWNER}/{forwarder.node_id}"
    known = sim.registry.get(key)
    if known is None or known.forwarder is not forwarder:
        known = Management(forwarder, localhop=localhop)
        connector = _Connector(forwarder, clock, queue_limit, insecure)
        for scheme in ("tcp4", "tcp6"):
            known.faces.factories[scheme] = connector
        sim.registry[key] = known
    return LiveListener(
        forwarder,
        clock,
        address,
        known,
        queue_limit=queue_limit,
        max_connections=max_connections,
        mode=mode,
        insecure=insecure,
    )


def management_of(forwarder: Forwarder) -> Management | None:
    """Return the management of a forwarder that listens, else None."""
    found = forwarder.sim.registry.get(f"{_OWNER}/{forwarder.node_id}")
    return found if found is not None and found.forwarder is forwarder else None


class _Connector:
    """Makes faces towards other forwarders, for ``faces/create``."""

    def __init__(
        self, forwarder: Forwarder, clock: RealTime, queue_limit: int, insecure: bool
    ) -> None:
        self._forwarder = forwarder
        self._clock = clock
        self._queue_limit = queue_limit
        self._insecure = insecure

    def __call__(self, given: ControlParameters) -> LiveFace:
        try:
            address = Address.parse(given.uri or "", DEFAULT_PORT)
        except AddressError as error:
            raise FaceError(400, f"Malformed command: {error}") from None
        if given.face_persistency == _ON_DEMAND:
            raise FaceError(406, "Outgoing faces are persistent or permanent")
        if not address.is_loopback and not self._insecure:
            raise FaceError(403, "not authorized: only addresses of this machine are allowed")
        sock = socket.socket(address.family, socket.SOCK_STREAM)
        sock.setblocking(False)
        try:
            sock.connect(address.sockaddr)
        except BlockingIOError:
            # What is sent waits until the connection stands; if it never does, the face closes.
            pass
        except OSError as error:
            sock.close()
            raise FaceError(504, f"Face creation failed: {error.strerror}") from None
        face = LiveFace(
            self._clock,
            sock,
            context=self._forwarder.node_id,
            is_local=address.is_loopback,
            remote_uri=str(address),
            local_uri=f"{address.scheme}://",
            persistency=given.face_persistency or 0,
            queue_limit=self._queue_limit,
        )
        if given.flag(0):
            face.local_fields = True
        self._forwarder.add_face(face)
        return face


def _is_loopback(uri: str) -> bool:
    host = uri.partition("://")[2].rpartition(":")[0].strip("[]")
    return ipaddress.ip_address(host).is_loopback
