"""Real NDN programs on the nodes of a simulated Wi-Fi network."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from simcore.bridge import AddressError, RealTime
from simcore.models import ndn
from simcore.models.mobility import ConstantPosition
from simcore.models.ndn.live import listen
from simcore.models.network import create_nodes
from simcore.models.propagation import RangeLoss
from simcore.models.wifi import install_adhoc
from simcore.scenario import ParameterError, Scenario, parameter

PREFIX = "/live"
SPACING = 100.0  # m; a node hears its neighbours only
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
HERE = Path(__file__).parent


class NdnLive(Scenario):
    """Two real python-ndn programs talk over a chain of Wi-Fi nodes, in real time.

    The first and the last node listen on Unix sockets. By default the scenario starts a producer
    at the last node and a consumer at the first one and ends with the consumer; with
    --no-programs it waits for yours, until Ctrl-C or total-time.
    """

    nodes: int = parameter(4, min=2, max=1000, help="nodes in a row")
    count: int = parameter(10, min=1, max=10**6, help="names that the consumer asks for")
    size: int = parameter(500, unit="B", min=60, max=8000, help="content of each")
    programs: bool = parameter(True, help="start the bundled programs")
    sockets: str | None = parameter(None, help="folder for the sockets; a new one by default")
    speed: float = parameter(1.0, min=1e-3, max=1e3, help="simulated seconds in a second")
    total_time: float = parameter(60.0, unit="s", min=0, help="simulated time, at most")

    # All that happens depends on programs outside.
    machine_metrics = frozenset(
        {
            "data_received",
            "mean_rtt_ms",
            "max_rtt_ms",
            "interests_forwarded",
            "late_p50_ms",
            "late_p99_ms",
            "late_max_ms",
            "waits",
        }
    )

    def build(self, sim):
        if self.programs and find_spec("ndn") is None:
            raise ParameterError(
                "programs: the bundled programs need python-ndn: pip install python-ndn; or give"
                " --no-programs and connect your own",
                "programs",
                self.programs,
            )
        self.clock = RealTime(sim, speed=self.speed)
        self.build_network(sim)
        self.outside = Outside(self)
        sim.add_flusher(self.outside)
        self.outside.open(self.chain[-1].ndn, self.chain[0].ndn)

    def build_network(self, sim):
        self.chain = create_nodes(sim, self.nodes)
        for node in self.chain:
            ConstantPosition(node, (SPACING * node.id, 0.0))
        install_adhoc(self.chain, loss=RangeLoss(1.2 * SPACING))
        ndn.install(self.chain)
        for node, following in zip(self.chain, self.chain[1:], strict=False):
            # Faces to one neighbour: Wi-Fi acknowledges each frame.
            towards = ndn.add_face(node.devices[0], remote=following.devices[0].address)
            ndn.add_face(following.devices[0], remote=node.devices[0].address)
            node.ndn.add_route(PREFIX, towards)

    def report(self, sim):
        rtts = self.outside.answers.get("rtt_ms", [])
        return {
            "data_received": len(rtts),
            "mean_rtt_ms": sum(rtts) / len(rtts) if rtts else None,
            "max_rtt_ms": max(rtts, default=None),
            "interests_forwarded": sum(node.ndn.counters.out_interests for node in self.chain),
            **self.clock.report(),
        }


def end_with_parent():
    """Have this process killed when its parent ends, however that happens."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Outside:
    """Sockets and programs beside the simulation; gone when the run has ended, however it did."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.sim = scenario.clock.sim
        self.folder = None
        self.listeners = []
        self.running = {}
        self.answers = {}

    def open(self, producer, consumer):
        if self.scenario.sockets == "":
            raise ParameterError("sockets is '': it must be a folder", "sockets", "")
        if self.scenario.sockets is None:
            self.folder = tempfile.TemporaryDirectory(prefix="ndn-live-")
        folder = self.scenario.sockets or self.folder.name
        try:
            for name, forwarder in (("producer", producer), ("consumer", consumer)):
                self.listeners.append(listen(forwarder, f"unix://{folder}/{name}.sock"))
        except AddressError as error:
            self.flush()
            raise ParameterError(f"sockets: {error}", "sockets", self.scenario.sockets) from error
        if self.scenario.programs:
            self.sim.schedule(0, self.start)
            return
        for listener, what in zip(self.listeners, ("last", "first"), strict=True):
            sys.stderr.write(f"the {what} node: NDN_CLIENT_TRANSPORT={listener.address}\n")
        sys.stderr.write(f"{PREFIX} is routed from the first node to the last; Ctrl-C ends it\n")

    def start(self):
        size, count = str(self.scenario.size), str(self.scenario.count)
        self.launch("ndn_live_producer.py", self.listeners[0], "--size", size)
        self.launch("ndn_live_consumer.py", self.listeners[1], "--count", count)

    def launch(self, script, listener, *arguments):
        program = subprocess.Popen(
            [sys.executable, str(HERE / script), "--prefix", PREFIX, *arguments],
            env=os.environ | {"NDN_CLIENT_TRANSPORT": str(listener.address)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Ctrl-C is for the simulation, which then ends the programs.
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
        # A descriptor that becomes readable when the program ends.
        handle = os.pidfd_open(program.pid)
        watch = self.scenario.clock.watch(handle, lambda: self.ended(program, script))
        self.running[program] = (handle, watch)

    def forget(self, program):
        handle, watch = self.running.pop(program)
        watch.stop()
        os.close(handle)

    def ended(self, program, script):
        self.forget(program)
        printed, complaints = program.communicate()
        if program.returncode != 0 or script != "ndn_live_consumer.py":
            last = (complaints.strip().splitlines() or ["it said nothing"])[-1]
            raise RuntimeError(f"{script} ended with code {program.returncode}: {last}")
        self.answers = json.loads(printed)
        self.sim.stop()

    def flush(self):
        for program in list(self.running):
            self.forget(program)
            program.kill()
            program.communicate()
        for listener in self.listeners:
            listener.close()
        self.listeners.clear()
        if self.folder is not None:
            self.folder.cleanup()
            self.folder = None
