"""Addresses of stream sockets: ``unix:///run/n3.sock``, ``tcp4://127.0.0.1:6363``."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass

__all__ = ["Address", "AddressError"]

# sockaddr_un.sun_path has 108 bytes on Linux, the last of them zero.
_LONGEST_PATH = 107
_SCHEMES = ("unix", "tcp", "tcp4", "tcp6")


class AddressError(OSError):
    """An address that cannot be used; the message says why and what would be right."""


@dataclass(frozen=True)
class Address:
    """Address of a stream socket.

    Attributes
    ----------
    scheme : str
        ``"unix"``, ``"tcp4"`` or ``"tcp6"``.
    path : str
        Of a Unix socket.
    host : str
        Numeric.
    port : int
        0 lets the system choose one.
    """

    scheme: str
    path: str = ""
    host: str = ""
    port: int = 0

    @staticmethod
    def parse(text: str, default_port: int = 0) -> Address:
        """Address of a URI; a bare path is a Unix socket.

        Raises
        ------
        AddressError
            When it is none.
        """
        scheme, found, rest = text.partition("://")
        if not found:
            scheme, rest = "unix", text
        if scheme not in _SCHEMES:
            raise AddressError(
                f"address {text!r}: scheme {scheme!r} is unknown; there are unix:///path and"
                " tcp4://host:port"
            )
        if scheme == "unix":
            return Address._unix(text, rest)
        return Address._tcp(text, scheme, rest, default_port)

    @staticmethod
    def _unix(text: str, path: str) -> Address:
        if not path or "\0" in path:
            raise AddressError(f"address {text!r} names no file")
        size = len(path.encode(errors="surrogateescape"))
        if size > _LONGEST_PATH:
            raise AddressError(
                f"address {text!r}: the path of a Unix socket has at most {_LONGEST_PATH} bytes,"
                f" this one has {size}; choose a shorter folder"
            )
        return Address("unix", path=path)

    @staticmethod
    def _tcp(text: str, scheme: str, rest: str, default_port: int) -> Address:
        host, colon, port = rest.rpartition(":")
        if not colon or port.endswith("]"):
            host, port = rest, str(default_port)
        host = host.strip("[]") or "127.0.0.1"
        if not port.isdecimal() or int(port) > 65535:
            raise AddressError(f"address {text!r}: port {port!r} is not a number up to 65535")
        if host == "localhost":
            host = "::1" if scheme == "tcp6" else "127.0.0.1"
        try:
            version = ipaddress.ip_address(host).version
        except ValueError:
            raise AddressError(
                f"address {text!r}: host {host!r} is not numeric, such as 127.0.0.1"
            ) from None
        if scheme != "tcp" and scheme != f"tcp{version}":
            raise AddressError(f"address {text!r}: host {host!r} is of tcp{version}, not {scheme}")
        return Address(f"tcp{version}", host=host, port=int(port))

    @property
    def family(self) -> socket.AddressFamily:
        """Address family for `socket.socket`."""
        return {
            "unix": socket.AF_UNIX,
            "tcp4": socket.AF_INET,
            "tcp6": socket.AF_INET6,
        }[self.scheme]

    @property
    def sockaddr(self) -> str | tuple[str, int]:
        """What `socket.bind` and `connect` take."""
        return self.path if self.scheme == "unix" else (self.host, self.port)

    @property
    def is_loopback(self) -> bool:
        """Whether only programs of this machine can reach it."""
        return self.scheme == "unix" or ipaddress.ip_address(self.host).is_loopback

    def __str__(self) -> str:
        if self.scheme == "unix":
            return f"unix://{self.path}"
        host = f"[{self.host}]" if self.scheme == "tcp6" else self.host
        return f"{self.scheme}://{host}:{self.port}"
