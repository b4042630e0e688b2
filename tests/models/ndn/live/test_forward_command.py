"""``simcore bridge ndn-forward``: a plain forwarder for real programs."""

import json
import signal
import socket
import subprocess
import sys
import time

import pytest

from simcore.cli.main import main
from simcore.models.ndn import Data, DigestSha256, Interest, LpPacket, Name
from simcore.models.ndn.management import ControlParameters, ControlResponse
from simcore.models.ndn.tlv import decode_var_number

COMMAND = [sys.executable, "-m", "simcore", "bridge", "ndn-forward"]


class Program:
    """A blocking client."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + 60
        while True:
            try:
                self.sock.connect(str(path))
                break
            except (FileNotFoundError, ConnectionRefusedError):
                assert time.monotonic() < deadline
                time.sleep(0.02)
        self.sock.settimeout(60)
        self.stream = self.sock.makefile("rb")

    def send(self, packet):
        self.sock.sendall(packet.to_wire())

    def receive(self):
        head = self.stream.read(2)
        size = {253: 2, 254: 4}.get(head[1], 0)
        head += self.stream.read(size)
        _, used = decode_var_number(head)
        length, _ = decode_var_number(head[used:])
        return LpPacket.from_wire(head + self.stream.read(length)).network_packet()

    def register(self, prefix):
        parameters = ControlParameters(name=Name(prefix)).to_wire()
        name = Name("/localhost/nfd/rib/register").append(parameters)
        self.send(Interest(name, parameters=b"", signer=DigestSha256()))
        return ControlResponse.from_wire(self.receive().content).code


@pytest.fixture
def forwarder():
    running = []

    def start(*arguments):
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def test_programs_use_it_and_it_tells_what_it_did(forwarder, tmp_path):
    path = tmp_path / "f.sock"
    process = forwarder("--listen", f"unix://{path}", "--json")
    producer, consumer = Program(path), Program(path)
    assert producer.register("/p") == 200
    consumer.send(Interest("/p/1"))
    assert str(producer.receive().name) == "/p/1"
    producer.send(Data("/p/1", b"x"))
    assert consumer.receive().content == b"x"
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"NDN_CLIENT_TRANSPORT=unix://{path}" in said
    report = json.loads(printed)
    assert report["in_data"] >= 1
    assert report["programs"] == 2
    assert not path.exists()


def test_two_forwarders_linked_by_a_route(forwarder, tmp_path):
    first = forwarder("--listen", "tcp4://127.0.0.1:0", "--listen", str(tmp_path / "a.sock"))
    address = first.stderr.readline().strip().rpartition("=")[2]
    assert address.startswith("tcp4://127.0.0.1:")
    forwarder("--listen", str(tmp_path / "b.sock"), "--route", f"/p={address}")
    producer, consumer = Program(tmp_path / "a.sock"), Program(tmp_path / "b.sock")
    assert producer.register("/p") == 200
    consumer.send(Interest("/p/1"))
    assert str(producer.receive().name) == "/p/1"
    producer.send(Data("/p/1", b"far"))
    assert consumer.receive().content == b"far"


def test_it_takes_the_place_of_one_that_was_killed(forwarder, tmp_path):
    path = tmp_path / "f.sock"
    first = forwarder("--listen", str(path))
    Program(path)
    second = subprocess.run(
        [*COMMAND, "--listen", str(path)], capture_output=True, text=True, timeout=120
    )
    assert second.returncode == 2
    assert "another program listens there already" in second.stderr
    first.kill()
    first.wait()
    assert path.exists()
    forwarder("--listen", str(path))
    assert Program(path).register("/again") == 200


def test_it_ends_after_a_time(tmp_path, capsys):
    assert main(["bridge", "ndn-forward", "--listen", str(tmp_path / "f"), "--for", "50ms"]) == 0
    assert "listening" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--listen", "udp4://127.0.0.1:1"], "option --listen: address 'udp4://127.0.0.1:1'"),
        (["--listen", "tcp4://0.0.0.0:0"], "can be reached from other machines"),
        (["--listen", "/no/such/folder/f"], "there is no folder '/no/such/folder'"),
        (["--strategy", "none-such"], "option --strategy: strategy 'none-such' is unknown"),
        (["--cs-capacity", "-1"], "option --cs-capacity"),
        (["--for", "soon"], "option --for"),
        (["--for=-1s"], "option --for"),
        (["--route", "x"], "must be PREFIX=ADDRESS"),
        (["--unknown"], "unrecognized arguments: --unknown"),
    ],
)
def test_wrong_use_is_explained(arguments, message, tmp_path, capsys):
    if "--listen" not in arguments:
        arguments = ["--listen", str(tmp_path / "f"), *arguments]
    assert main(["bridge", "ndn-forward", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_bridge_commands_are_listed(capsys):
    assert main(["bridge", "--help"]) == 0
    assert "ndn-forward" in capsys.readouterr().out
    assert main(["bridge", "ndn-forwrd"]) == 2
    assert "did you mean 'ndn-forward'" in capsys.readouterr().err
    assert main(["bridge"]) == 2
