"""Listening stream sockets: Unix and TCP, loopback unless told otherwise."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
from collections.abc import Callable

from simcore import ms
from simcore.bridge.address import Address, AddressError
from simcore.bridge.realtime import RealTime, Watch

__all__ = ["StreamServer", "connect_plainly"]

_BACKLOG = 1024
# Connections accepted in one turn: others have their turn in between.
_AT_A_TIME = 64
# Out of descriptors: how long nobody is accepted, simulated time.
_PAUSE = ms(100)


class StreamServer:
    """Accepts connections while a simulation runs in real time.

    Parameters
    ----------
    clock : RealTime
    address : Address or str
        Where to listen; port 0 lets the system choose, and `address` then says which.
    on_connection : callable
        Called with (socket, text of the other side's address), as an event.
    context : int
        Node of that event.
    max_connections : int, optional
        Further ones are closed at once and counted. Whoever accepts must call `released` when one
        ends.
    mode : int
        Permissions of a Unix socket's file.
    insecure : bool
        Allow an address that other machines can reach.

    Attributes
    ----------
    accepted, refused : int
        Connections taken and turned away.

    Raises
    ------
    AddressError
        When it cannot listen there; the message is for users.
    """

    def __init__(
        self,
        clock: RealTime,
        address: Address | str,
        on_connection: Callable[[socket.socket, str], object],
        *,
        context: int = -1,
        max_connections: int = 4096,
        mode: int = 0o600,
        insecure: bool = False,
    ) -> None:
        address = Address.parse(address) if isinstance(address, str) else address
        if not address.is_loopback and not insecure:
            raise AddressError(
                f"{address} can be reached from other machines, and there is no authentication:"
                " listen on 127.0.0.1, or say insecure"
            )
        self.clock = clock
        self.max_connections = max_connections
        self.accepted = 0
        self.refused = 0
        self.open_connections = 0
        self._context = context
        self._on_connection = on_connection
        self._watch: Watch | None = None
        self._identity: tuple[int, int] | None = None
        self._socket = socket.socket(address.family, socket.SOCK_STREAM)
        try:
            self._bind(address, mode)
            self._socket.setblocking(False)
            self._socket.listen(_BACKLOG)
        except BaseException:
            self.close()
            raise
        self.address = address
        if address.scheme != "unix":
            host, port = self._socket.getsockname()[:2]
            self.address = Address(address.scheme, host=host, port=port)
        self._resume()

    def _bind(self, address: Address, mode: int) -> None:
        if address.scheme == "unix":
            _clear_stale(address)
            # The file gets the permissions of the socket's descriptor.
            os.fchmod(self._socket.fileno(), mode)
        else:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind(address.sockaddr)
        except OSError as error:
            raise _plain(address, error, "listen on") from error
        if address.scheme == "unix":
            self._identity = _identity(address.path)
            self._path = os.path.abspath(address.path)

    def _resume(self) -> None:
        if self._watch is None and self._socket.fileno() >= 0:
            self._watch = self.clock.watch(self._socket, self._accept, context=self._context)

    def _accept(self) -> None:
        for _ in range(_AT_A_TIME):
            try:
                connection, remote = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionError):
                return
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS):
                    raise
                # Whoever knocks waits in the backlog until descriptors are free again.
                self._pause()
                return
            if self.open_connections >= self.max_connections:
                self.refused += 1
                connection.close()
                continue
            self.accepted += 1
            self.open_connections += 1
            self._on_connection(connection, self._remote(connection, remote))
            if self._socket.fileno() < 0:
                return

    def _remote(self, connection: socket.socket, remote: object) -> str:
        if isinstance(remote, tuple):
            return str(Address(self.address.scheme, host=remote[0], port=remote[1]))
        return f"fd://{connection.fileno()}"

    def _pause(self) -> None:
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
            self.clock.sim.schedule(_PAUSE, self._resume)

    def released(self) -> None:
        """Say that an accepted connection has ended."""
        self.open_connections -= 1

    def close(self) -> None:
        """Listen no longer and remove the socket's file if it is still ours; safe to call twice."""
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        self._socket.close()
        identity, self._identity = self._identity, None
        if identity is not None and _identity(self._path) == identity:
            # In a folder that has become read-only the stale file is for the next one to replace.
            with contextlib.suppress(OSError):
                os.unlink(self._path)

    def __repr__(self) -> str:
        return f"<StreamServer {self.address} {self.open_connections} connections>"


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _clear_stale(address: Address) -> None:
    """Remove the file that a listener left behind which was killed; nothing else."""
    path = address.path
    try:
        kind = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise _plain(address, error, "listen on") from error
    if not stat.S_ISSOCK(kind):
        raise AddressError(
            f"cannot listen on {address}: there is a file of that name that is no socket;"
            " choose another, or remove it"
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            pass
        except BlockingIOError:
            # Somebody listens, whose backlog is full.
            raise _in_use(address) from None
        except FileNotFoundError:
            return
        except OSError as error:
            raise _plain(address, error, "listen on") from error
        else:
            raise _in_use(address)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
    except OSError as error:
        raise AddressError(
            f"cannot listen on {address}: a program that has ended left this file, and it cannot"
            f" be removed: {error.strerror}"
        ) from error


def _in_use(address: Address) -> AddressError:
    return AddressError(f"cannot listen on {address}: another program listens there already")


def _plain(address: Address, error: OSError, doing: str) -> AddressError:
    """Return the error in words that say what to do."""
    folder = os.path.dirname(address.path) or "."
    reason = {
        errno.EADDRINUSE: "another program uses it already; choose another",
        errno.EACCES: "permission denied"
        + (f": the folder {folder!r} cannot be written" if address.scheme == "unix" else
           ": ports below 1024 need privileges" if address.port < 1024 else ""),
        errno.EPERM: "not permitted",
        errno.EROFS: f"the folder {folder!r} is read-only",
        errno.ENOENT: f"there is no folder {folder!r}",
        errno.ENOTDIR: f"{folder!r} is no folder",
        errno.EADDRNOTAVAIL: "this machine has no such address",
        errno.ECONNREFUSED: "nobody listens there"
        + ("; the file was left behind by a program that has ended"
           if address.scheme == "unix" else ""),
    }.get(error.errno or 0, error.strerror or str(error))
    result = AddressError(f"cannot {doing} {address}: {reason}")
    result.errno = error.errno
    return result


def connect_plainly(address: Address | str, timeout: float | None = None) -> socket.socket:
    """Connect to a listener, with errors that say what is wrong.

    Parameters
    ----------
    address : Address or str
    timeout : float, optional
        Seconds.

    Raises
    ------
    AddressError
        When nobody listens, the file is missing or stale, or permission is denied.
    """
    address = Address.parse(address) if isinstance(address, str) else address
    connection = socket.socket(address.family, socket.SOCK_STREAM)
    connection.settimeout(timeout)
    try:
        connection.connect(address.sockaddr)
    except OSError as error:
        connection.close()
        if address.scheme == "unix" and error.errno == errno.ENOENT:
            raise AddressError(
                f"cannot connect to {address}: there is no such socket; is the simulation or"
                " forwarder running, and does it listen there?"
            ) from error
        raise _plain(address, error, "connect to") from error
    connection.settimeout(None)
    return connection
