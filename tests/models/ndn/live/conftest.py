"""A forwarder that listens, and raw clients that speak NDN over its socket."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable, Iterator

import pytest

from simcore import Simulator, ms, seconds
from simcore.bridge import Address
from simcore.models.ndn import DigestSha256, Forwarder, Interest, LpPacket, Name
from simcore.models.ndn.live import LiveListener, listen
from simcore.models.ndn.management import ControlParameters, ControlResponse
from simcore.models.ndn.tlv import decode_var_number

# Longer than a loaded machine needs; a run ends when what it waits for has happened.
PATIENCE = seconds(60)


def split(data: bytes) -> tuple[list[bytes], bytes]:
    """Whole elements at the start of a stream, and the rest."""
    found = []
    while True:
        try:
            _, first = decode_var_number(data)
            length, second = decode_var_number(data[first:])
        except ValueError:
            return found, data
        end = first + second + length
        if end > len(data):
            return found, data
        found.append(data[:end])
        data = data[end:]


class Client:
    """A program with a raw socket."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.rest = b""
        self.packets: list[LpPacket] = []
        self.at_end = False
        sock.setblocking(False)

    def send(self, *packets: object) -> None:
        for packet in packets:
            data = packet if isinstance(packet, bytes) else packet.to_wire()
            self.sock.setblocking(True)
            self.sock.sendall(data)
            self.sock.setblocking(False)

    def read(self) -> None:
        try:
            while True:
                data = self.sock.recv(1 << 16)
                if not data:
                    self.at_end = True
                    return
                found, self.rest = split(self.rest + data)
                self.packets += [LpPacket.from_wire(one) for one in found]
        except BlockingIOError:
            pass
        except ConnectionError:
            self.at_end = True

    def close(self) -> None:
        self.sock.close()


class Net:
    """A forwarder in real time that listens on a Unix socket and a TCP port."""

    def __init__(self, folder: str) -> None:
        self.sim = Simulator(realtime=True)
        self.forwarder = Forwarder(self.sim)
        self.unix: LiveListener = listen(self.forwarder, f"unix://{folder}/n.sock")
        self.tcp: LiveListener = listen(self.forwarder, "tcp4://127.0.0.1:0")
        self.clients: list[Client] = []
        self.count = 0

    def client(self, kind: str = "unix") -> Client:
        return self.client_at((self.unix if kind == "unix" else self.tcp).address)

    def client_at(self, address: Address) -> Client:
        sock = socket.socket(address.family, socket.SOCK_STREAM)
        sock.connect(address.sockaddr)
        self.clients.append(Client(sock))
        return self.clients[-1]

    def run_until(self, condition: Callable[[], bool]) -> None:
        """Let time pass until something is so; fail when it never is."""
        met = False

        def look() -> None:
            nonlocal met
            for client in self.clients:
                if client.sock.fileno() >= 0:
                    client.read()
            met = condition()
            if met:
                self.sim.stop()
            else:
                self.sim.schedule(ms(2), look)

        look()
        if not met:
            self.sim.run(until=self.sim.now() + PATIENCE)
        assert met

    def run_for(self, milliseconds: int) -> None:
        self.sim.run(until=self.sim.now() + ms(milliseconds))
        for client in self.clients:
            if client.sock.fileno() >= 0:
                client.read()

    def register(self, client: Client, prefix: str, verb: str = "register") -> ControlResponse:
        self.count += 1
        parameters = ControlParameters(name=Name(prefix)).to_wire()
        name = Name(f"/localhost/nfd/rib/{verb}").append(parameters)
        signer = DigestSha256(nonce=self.count.to_bytes(8, "big"))
        interest = Interest(name, parameters=b"", signer=signer)
        client.send(interest)

        def answers() -> list[LpPacket]:
            return [p for p in client.packets if p.network_packet().name == interest.name]

        self.run_until(lambda: bool(answers()))
        [answer] = answers()
        client.packets.remove(answer)
        return ControlResponse.from_wire(answer.network_packet().content)

    def close(self) -> None:
        for client in self.clients:
            client.close()
        self.unix.close()
        self.tcp.close()


@pytest.fixture
def net() -> Iterator[Net]:
    # A short path: those of Unix sockets are bounded.
    with tempfile.TemporaryDirectory(prefix="ndn") as folder:
        made = Net(folder)
        yield made
        made.close()
