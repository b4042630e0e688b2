"""The forwarder over Unix sockets beside NFD's measured figures: CPU time of an exchange.

Pairs of raw sockets in one process ask and answer as fast as `simcore bridge ndn-forward`, in a
process of its own, lets them; its CPU time is read from /proc. NFD 24.07's figures are those of
the same traffic on the machine where they were measured (64 pairs, 800 bytes, Unix sockets,
cache of 65,536 packets): the ratio is between machines, and good for the order of magnitude.

    python profiling/ndn_sockets.py [--pairs 64] [--window 4] [--seconds 3] [--json]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Interests/s of CPU time, lowest and highest measured, with content and without.
NFD = {
    ("short", True): (12_400, 13_500),
    ("medium", True): (10_000, 11_000),
    ("long", True): (7_100, 7_100),
    ("short", False): (54_000, 62_000),
    ("medium", False): (52_000, 52_000),
    ("long", False): (32_000, 35_000),
}
COMPONENTS = {"short": 3, "medium": 7, "long": 27}
CONTENT = 800
SEQUENCE = 8  # bytes of the last component
LIFETIME_MS = 1000


def tlv(kind: int, value: bytes) -> bytes:
    head = lambda n: bytes([n]) if n < 253 else b"\xfd" + struct.pack("!H", n)  # noqa: E731
    return head(kind) + head(len(value)) + value


def register(prefix: bytes, serial: int) -> bytes:
    """Return a rib/register command of format 0.3."""
    parameters = tlv(104, tlv(7, prefix))
    name = b"".join(tlv(8, part) for part in (b"localhost", b"nfd", b"rib", b"register"))
    name += tlv(8, parameters)
    info = tlv(44, tlv(27, b"\0") + tlv(38, struct.pack("!Q", serial)))
    portion = tlv(36, b"") + info
    rest = portion + tlv(46, hashlib.sha256(name + portion).digest())
    name += tlv(2, hashlib.sha256(rest).digest())
    return tlv(5, tlv(7, name) + tlv(10, struct.pack("!I", serial)) + tlv(12, b"\x0f\xa0") + rest)


class Pair:
    """A consumer and a producer; all packets of a kind have one size."""

    def __init__(self, address: str, number: int, components: int) -> None:
        parts = [b"ndn", *[b"part%d" % i for i in range(components - 3)], b"%03d" % number]
        self.prefix = b"".join(tlv(8, part) for part in parts)
        self.consumer, self.producer = (socket.socket(socket.AF_UNIX) for _ in range(2))
        for sock in (self.consumer, self.producer):
            sock.connect(address)
        self.next = 0
        self.received = 0
        name_size = len(self.prefix) + 2 + SEQUENCE
        self.name_head = tlv(7, bytes(name_size))[:-name_size]
        self.interest_head = b""
        self.interest_head = self.interest(0)[: -(len(self.name_head) + name_size + 2 + 6 + 4)]
        self.interest_size = len(self.interest(0))
        self.name_at = len(self.interest_head)
        self.name_end = self.name_at + len(self.name_head) + name_size
        meta = b""
        self.data_tail = (
            meta + tlv(21, bytes(CONTENT)) + tlv(22, tlv(27, b"\0")) + tlv(23, bytes(32))
        )
        whole = tlv(6, self.name_head + bytes(name_size) + self.data_tail)
        self.data_size = len(whole)
        self.data_head = whole[: -(len(self.name_head) + name_size + len(self.data_tail))]
        self.waiting_in = self.waiting_out = 0
        self.rest = b""

    def interest(self, sequence: int) -> bytes:
        name = self.prefix + tlv(8, struct.pack("!Q", sequence))
        body = tlv(7, name) + b"\x12\x00" + tlv(10, struct.pack("!I", sequence & 0xFFFFFFFF))
        return tlv(5, body + tlv(12, struct.pack("!H", LIFETIME_MS)))

    def ask(self, count: int) -> None:
        wires = b"".join(self.interest(self.next + i) for i in range(count))
        self.next += count
        self.consumer.sendall(wires)

    def answer(self, data: bytes, content: bool) -> int:
        """Answer the Interests in what arrived; how many there were."""
        data = self.rest + data
        whole = len(data) // self.interest_size * self.interest_size
        self.rest = data[whole:]
        if content:
            self.producer.sendall(
                b"".join(
                    self.data_head + data[at + self.name_at : at + self.name_end] + self.data_tail
                    for at in range(0, whole, self.interest_size)
                )
            )
        return whole // self.interest_size

    def close(self) -> None:
        self.consumer.close()
        self.producer.close()


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(
    names: str, content: bool, pairs: int, window: int, duration: float
) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="ndn") as folder:
        address = f"{folder}/f.sock"
        command = [sys.executable, "-m", "simcore", "bridge", "ndn-forward", "--listen", address]
        forwarder = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(address):
                time.sleep(0.01)
            return drive(forwarder.pid, address, names, content, pairs, window, duration)
        finally:
            forwarder.terminate()
            forwarder.wait()


def drive(
    pid: int, address: str, names: str, content: bool, pairs: int, window: int, duration: float
) -> dict[str, object]:
    made = [Pair(address, i, COMPONENTS[names]) for i in range(pairs)]
    for i, pair in enumerate(made):
        pair.producer.sendall(register(pair.prefix, i + 1))
        assert pair.producer.recv(4096)[0] == 6
    poll = select.epoll()
    by_descriptor = {}
    for pair in made:
        by_descriptor[pair.consumer.fileno()] = (pair, True)
        by_descriptor[pair.producer.fileno()] = (pair, False)
    for descriptor in by_descriptor:
        poll.register(descriptor, select.EPOLLIN)
    for pair in made:
        pair.ask(window)
    start, spent, exchanged = 0.0, 0.0, 0
    begin = time.perf_counter()
    while True:
        now = time.perf_counter()
        if not start and now - begin > min(1.0, duration):
            # Tables and caches have grown to their sizes of the long run.
            start, spent, exchanged = now, cpu_seconds(pid), 0
        if start and now - start > duration:
            break
        for descriptor, _ in poll.poll(1):
            pair, is_consumer = by_descriptor[descriptor]
            if is_consumer:
                pair.waiting_in += len(pair.consumer.recv(1 << 18))
                done, pair.waiting_in = divmod(pair.waiting_in, pair.data_size)
                if done:
                    exchanged += done
                    pair.ask(done)
            else:
                count = pair.answer(pair.producer.recv(1 << 18), content)
                if not content and count:
                    # Nobody answers: the Interest that came through makes room for the next.
                    exchanged += count
                    pair.ask(count)
    wall, spent = time.perf_counter() - start, cpu_seconds(pid) - spent
    for pair in made:
        pair.close()
    lowest, highest = NFD[names, content]
    rate = exchanged / spent
    return {
        "names": names,
        "content": content,
        "interests_per_cpu_s": round(rate),
        "us_per_interest": round(1e6 / rate, 2),
        "interests_per_s": round(exchanged / wall),
        "nfd_per_cpu_s": [lowest, highest],
        "ratio": round(rate / highest, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=64)
    parser.add_argument("--window", type=int, default=4, help="Interests under way of a consumer")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--names", nargs="+", default=list(COMPONENTS), choices=list(COMPONENTS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [
        measure(names, content, options.pairs, options.window, options.seconds)
        for content in (True, False)
        for names in options.names
    ]
    if options.json:
        print(json.dumps({"pairs": options.pairs, "window": options.window, "rows": rows}))
        return
    print(f"{options.pairs} pairs, {options.window} Interests under way each, {CONTENT} B")
    print("names   content  Interests/s of CPU time   us   Interests/s   NFD 24.07        ratio")
    for row in rows:
        lowest, highest = row["nfd_per_cpu_s"]
        print(
            f"{row['names']:7} {'yes' if row['content'] else 'no':7} "
            f"{row['interests_per_cpu_s']:>22,} {row['us_per_interest']:>6} "
            f"{row['interests_per_s']:>11,}   {lowest:,}-{highest:,}  {row['ratio']:>8}"
        )


if __name__ == "__main__":
    main()
