"""The rate that a rate manager selects, and what it delivers, as the signal fades step by step.

Two stations 5 m apart in ad hoc mode, as in ns-3's wifi-manager-example: the client sends more
than the channel carries, the received power falls by `step_size` after each `step_time`, and each
step gives one point of the curve.
"""

from __future__ import annotations

import math
from typing import Any

from simcore import Simulator, seconds
from simcore.models.apps import FrameSource
from simcore.models.mobility import ConstantPosition
from simcore.models.network.address import MacAddress
from simcore.models.network.node import NetDevice, create_nodes
from simcore.models.network.packet import Packet
from simcore.models.propagation import FixedRssLoss
from simcore.models.wifi import install_adhoc
from simcore.models.wifi.device import WifiDevice
from simcore.models.wifi.managers import make_manager, manager_names
from simcore.models.wifi.phy.standards import standard_parameters
from simcore.scenario import ParameterError, Scenario, parameter

ETHERTYPE = 1  # the protocol number of ns-3's example
WARM_UP = 0.5  # s before the first packet
# Lowest and highest SNR (dB), and top of the plot (Mb/s), by standard: ns-3's example.
RANGES = {
    "802.11a": (3, 27, 60),
    "802.11b": (-5, 11, 15),
    "802.11g": (-5, 27, 60),
    "802.11p-10MHz": (3, 27, 60),
    "802.11p-5MHz": (3, 27, 60),
}
# ns-3's example: thermal noise at 290 K alone.
NOISE_DENSITY_DBM = 10 * math.log10(1.3803e-23 * 290 * 1e3)
# ns-3 counts the noise of 22 MHz for the axis of 802.11b, and of 20 MHz in the receiver: a frame
# at "0 dB" is received at 0.41 dB. The axis here is the same.
AXIS_DB = {"802.11b": 10 * math.log10(22 / 20)}


class WifiManager(Scenario):
    """Rate selected and throughput against SNR for a rate manager (ns-3's wifi-manager-example)."""

    manager: str = parameter("Ideal", help="rate manager; ConstantRate takes data_mode")
    data_mode: str = parameter("", help="rate of ConstantRate, such as OfdmRate54Mbps")
    standard: str = parameter("802.11a", choices=tuple(RANGES), help="of both stations")
    step_size: float = parameter(
        1.0, unit="dB", min=0.01, max=100, help="by which the signal falls"
    )
    step_time: float = parameter(1.0, unit="s", min=1e-3, max=1e4, help="time at each SNR")
    packet_size: int = parameter(1024, unit="B", min=1, max=2296, help="MSDU without LLC/SNAP")
    broadcast: bool = parameter(False, help="send to all instead of to the server")
    rts_threshold: int = parameter(999_999, unit="B", min=0, help="MPDUs above it use RTS/CTS")
    max_retry_count: int = parameter(7, min=1, help="transmissions of a frame at most")
    keep_window_after_drop: bool = parameter(
        True, help="ns-3's contention window after a drop; false: that of 802.11-2020 10.3.3"
    )
    infrastructure: bool = parameter(False, help="access point and station; not available yet")

    def horizon(self) -> int:
        low, high, _ = RANGES[self.standard]
        # As in ns-3, whose Stop comes before a step that would end at the same time.
        return (int((high - low) / self.step_size) + 2) * seconds(self.step_time) - 1

    def check(self) -> None:
        """Refuse what cannot be run, by name."""
        problem: tuple[str, str, object] | None = None
        if self.infrastructure:
            problem = ("infrastructure is not available yet", "infrastructure", True)
        elif self.manager not in manager_names():
            names = ", ".join(manager_names())
            problem = (
                f"manager is {self.manager!r}: it must be one of {names}",
                "manager",
                self.manager,
            )
        elif (self.manager == "ConstantRate") != bool(self.data_mode):
            problem = (
                "data-mode goes with manager ConstantRate, which needs one such as OfdmRate54Mbps",
                "data_mode",
                self.data_mode,
            )
        if problem is not None:
            raise ParameterError(*problem)

    def build(self, sim: Simulator) -> None:
        self.check()
        _, high, top_mbps = RANGES[self.standard]
        width_hz = standard_parameters(self.standard).width_mhz * 1e6
        self.noise_dbm = NOISE_DENSITY_DBM + 10 * math.log10(width_hz)
        self.snr_db = float(high)
        self.noise_dbm += AXIS_DB.get(self.standard, 0.0)
        self.loss = FixedRssLoss(self.noise_dbm + self.snr_db)
        client, server = create_nodes(sim, 2)
        ConstantPosition(client, (0, 0))
        ConstantPosition(server, (5, 0))
        options: dict[str, Any] = {"data_mode": self.data_mode} if self.data_mode else {}
        if self.manager == "Ideal":
            options["narrow_as_20_mhz"] = True  # as ns-3
        self.devices = install_adhoc(
            [client, server],
            standard=self.standard,
            manager=lambda: make_manager(self.manager, self.standard, **options),
            loss=self.loss,
            # Frames are received as far down as their rate allows: no noise figure, and neither
            # the sensitivity of CCA nor preamble detection stands in the way.
            phy={
                "noise_figure": 0.0,
                "cca_sensitivity": -110.0,
                "preamble_min_power": -300.0,
                "preamble_min_snr": -300.0,
            },
            rts_threshold=self.rts_threshold,
            retry_limit=self.max_retry_count,
            keep_window_after_drop=self.keep_window_after_drop,
        )
        self.sender = self.devices[0]
        self.rate_control: Any = self.sender.mac_layer.manager
        self.target = MacAddress("ff:ff:ff:ff:ff:ff") if self.broadcast else self.devices[1].address
        self.interval = max(1, round(self.packet_size * 8 / (top_mbps * 1.1e6) * 1e9))
        self.received_bytes = 0
        self.step_bytes = 0
        self.rows: list[tuple[float, float, float]] = []
        server.listen(self.receive, ETHERTYPE)
        self.source = FrameSource(
            self.sender,
            self.target,
            ETHERTYPE,
            self.packet_size,
            interval=self.interval,
            start=seconds(WARM_UP),
        )
        self.step_ns = seconds(self.step_time)
        sim.schedule_at(seconds(WARM_UP) + self.step_ns, self.end_step)

    def receive(self, device: NetDevice, packet: Packet, *rest: object) -> None:
        self.received_bytes += packet.size
        self.step_bytes += packet.size

    def end_step(self) -> None:
        throughput = self.step_bytes * 8 / self.step_time / 1e6
        selected = self.rate_control.current_rate / 1e6
        self.rows.append((self.snr_db, selected, throughput))
        self.step_bytes = 0
        self.snr_db -= self.step_size
        self.loss.rss = self.noise_dbm + self.snr_db
        self.sender.node.sim.schedule(self.step_ns, self.end_step)

    def report(self, sim: Simulator) -> dict[str, float]:
        mac = self.sender.mac_layer
        return {
            "tx_frames": mac.data_tx_count + mac.group_tx_count,
            "rx_bytes": self.received_bytes,
            "retries": mac.retry_count,
            "dropped": mac.drop_count,
        }

    def tables(self, sim: Simulator) -> dict[str, dict[str, list[float]]]:
        columns = ("snr_db", "selected_rate_mbps", "throughput_mbps")
        values: list[Any] = list(zip(*self.rows, strict=True)) or [(), (), ()]
        return {
            "rate_vs_snr": {
                name: list(column) for name, column in zip(columns, values, strict=True)
            }
        }

    def traced(self, sim: Simulator) -> list[WifiDevice]:
        return self.devices
