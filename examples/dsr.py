"""DSR among mobile nodes: the setting of Broch et al. (MobiCom 1998), as in ns-3's dsr example."""

import math

from simcore.models.apps import OnOff, Sink
from simcore.models.dsr import DEPARTURES, install_dsr
from simcore.models.internet import AddressAllocator, install_internet
from simcore.models.mobility import (
    ConstantPosition,
    Ns2Movement,
    RandomRectangle,
    RandomWaypoint,
    install,
)
from simcore.models.network import Node, create_nodes
from simcore.models.propagation import ConstantSpeedDelay, RangeLoss
from simcore.models.wifi import install_adhoc
from simcore.scenario import ParameterError, Scenario, parameter
from simcore.units import parse_rate, seconds

PORT = 9


class Dsr(Scenario):
    """802.11b nodes on the move, routing with DSR (RFC 4728); ns-3's dsr example by default."""

    nodes: int = parameter(50, min=0, max=16000, help="number of Wi-Fi nodes")
    sinks: int = parameter(
        10, min=0, max=16000, help="streams: the last nodes send to the first ones"
    )
    packet_size: int = parameter(64, unit="B", min=1, max=2200, help="UDP payload")
    rate: str = parameter("0.512kbps", unit="bit/s", help="payload rate of a stream")
    node_speed: float = parameter(
        20, unit="m/s", min=0, max=1e6, help="speeds are uniform up to this"
    )
    pause_time: float = parameter(0, unit="s", min=0, max=1e9, help="stop at each waypoint")
    tx_range: float = parameter(
        250, unit="m", min=0, max=1e9, help="nodes closer than this hear each other"
    )
    area: tuple[float, float] = parameter("300x1500", unit="m", help="where the nodes move")
    data_start: float = parameter(100, unit="s", min=0, max=1e9, help="start of the first stream")
    data_stop: float = parameter(500, unit="s", min=0, max=1e9, help="end of the first stream")
    total_time: float = parameter(600, unit="s", min=0, max=9e9, help="simulated time")
    data_mode: str = parameter(
        "DsssRate11Mbps",
        choices=("DsssRate1Mbps", "DsssRate2Mbps", "DsssRate5_5Mbps", "DsssRate11Mbps"),
        help="rate of all frames",
    )
    movement: str | None = parameter(None, help="ns-2 movement file in place of random waypoints")
    cache: str = parameter("link", choices=("link", "path"), help="kind of route cache")
    acknowledgement: str = parameter(
        "link",
        choices=("link", "passive", "network"),
        help="how a hop is confirmed: by the MAC, by overhearing, or on request",
    )
    flow_state: bool = parameter(
        False, help="the flow state extension: most packets without source route"
    )
    departures: str = parameter(
        "", help=f"do as ns-3 does, comma-separated: {', '.join(DEPARTURES)}"
    )
    trace_file: str | None = parameter(None, help="ascii trace of the PHYs, ns-3's format")

    def build(self, sim):
        self.check()
        nodes = create_nodes(sim, self.nodes)
        self.move(nodes)
        self.devices = install_adhoc(
            nodes,
            standard="802.11b",
            data_mode=self.data_mode,
            group_mode=self.data_mode,
            rts_mode=self.data_mode,
            loss=RangeLoss(self.tx_range),
            delay=ConstantSpeedDelay(),
        )
        install_internet(nodes)
        # The smallest network that holds the nodes, but at least as large as ns-3's.
        prefix = min(24, 32 - (self.nodes + 1).bit_length())
        interfaces = AddressAllocator(f"10.1.{1 if prefix == 24 else 0}.0/{prefix}").assign(
            self.devices
        )
        self.agents = install_dsr(
            interfaces,
            cache=self.cache,
            acknowledgement=self.acknowledgement,
            flow_state=self.flow_state,
            departures=self.departure_names(),
        )
        flows = min(self.sinks, max(self.nodes - 1, 0))
        self.sink_apps = [Sink(node, PORT) for node in nodes[:flows]]
        self.sources = []
        for i in range(flows):
            offset = i / self.sinks
            source = OnOff(
                nodes[self.nodes - flows + i],
                str(interfaces[i].address),
                PORT,
                self.packet_size,
                rate=self.rate,
                on_time=1.0,
                off_time=0.0,
                start=seconds(self.data_start + offset),
                stop=seconds(self.data_stop + offset),
            )
            self.sources.append(source)
        if self.trace_file is not None:
            from simcore.trace import AsciiTrace

            self.writer = AsciiTrace(self.trace_file).attach(*self.devices)
            sim.add_flusher(self.writer)

    def check(self) -> None:
        """Refuse what the bounds of single parameters cannot say."""
        try:
            rate = parse_rate(self.rate, "rate")
        except ValueError as error:
            raise ParameterError(str(error), "rate", self.rate) from error
        if not 1e-3 <= rate <= 1e12:
            raise ParameterError(
                f"rate is {self.rate!r}: it must be from 0.001bps to 1e12bps", "rate", self.rate
            )
        if not all(0 < side <= 1e9 for side in self.area):
            raise ParameterError(
                f"area is {self.area}: both sides must be above 0 m, up to 1e9 m", "area", self.area
            )
        if self.data_stop < self.data_start:
            raise ParameterError(
                f"data-stop is {self.data_stop} s: it must not be before data-start, "
                f"{self.data_start} s",
                "data_stop",
                self.data_stop,
            )

    def departure_names(self) -> tuple[str, ...]:
        names = tuple(name.strip() for name in self.departures.split(",") if name.strip())
        for name in names:
            if name not in DEPARTURES:
                raise ParameterError(
                    f"departures has {name!r}: one of {', '.join(DEPARTURES)}", "departures", name
                )
        return names

    def check_movement(self, movement: Ns2Movement) -> None:
        """Refuse a file that moves other nodes than there are."""
        needed = max(movement.movements, default=-1) + 1
        missing = next((i for i in range(needed) if i not in movement.movements), None)
        if missing is not None:
            raise ParameterError(
                f"movement is {movement.path}, which says nothing about node {missing} of its "
                f"{needed}: it must number them from 0 on without a gap",
                "movement",
                self.movement,
            )
        if needed != self.nodes:
            raise ParameterError(
                f"nodes is {self.nodes}, but {movement.path} moves {needed}: it must be {needed}",
                "nodes",
                self.nodes,
            )

    def move(self, nodes: list[Node]) -> None:
        width, height = self.area
        places = RandomRectangle(f"uniform(0, {width})", f"uniform(0, {height})")
        if self.movement is not None:
            movement = Ns2Movement(self.movement)
            self.check_movement(movement)
            movement.install(nodes)
        elif self.node_speed == 0:
            install(nodes, ConstantPosition, places)
        else:
            install(
                nodes,
                RandomWaypoint,
                waypoints=places,
                speed=f"uniform(0, {self.node_speed})",
                pause=self.pause_time,
            )

    def report(self, sim):
        sent = sum(source.sent for source in self.sources)
        received = sum(sink.received_packets for sink in self.sink_apps)
        delays = sorted(int(d) for sink in self.sink_apps for d in sink.delays())
        routing = sum(agent.routing_tx_count for agent in self.agents)
        macs = [device.mac_layer for device in self.devices]
        return {
            "tx_packets": sent,
            "rx_packets": received,
            "delivery_ratio": received / sent if sent else None,
            "mean_delay_ms": sum(delays) / received * 1e-6 if received else None,
            "p95_delay_ms": delays[math.ceil(0.95 * received) - 1] * 1e-6 if received else None,
            "mean_hops": sum(s.hops for s in self.sink_apps) / received if received else None,
            "mac_data_tx": sum(mac.data_tx_count for mac in macs),
            "mac_retries": sum(mac.retry_count - mac.drop_count for mac in macs),
            "mac_drops": sum(mac.drop_count for mac in macs),
            "routing_tx": routing,
            "routing_overhead": routing / received if received else None,
            "route_requests": sum(agent.request_tx_count for agent in self.agents),
            "route_replies": sum(agent.reply_tx_count for agent in self.agents),
            "route_errors": sum(agent.error_tx_count for agent in self.agents),
        }

    def tables(self, sim):
        pairs = list(zip(self.sources, self.sink_apps, strict=True))
        return {
            "flows": {
                "source": [source.node.id for source, _ in pairs],
                "sink": [sink.node.id for _, sink in pairs],
                "tx_packets": [source.sent for source, _ in pairs],
                "rx_packets": [sink.received_packets for _, sink in pairs],
                "duplicates": [sink.duplicates for _, sink in pairs],
                "mean_delay_ms": [sink.mean_delay * 1e-6 for _, sink in pairs],
                "mean_hops": [
                    sink.hops / sink.received_packets if sink.received_packets else math.nan
                    for _, sink in pairs
                ],
            }
        }

    def traced(self, sim):
        return self.devices

    def own_traces(self, sim):
        return {} if self.trace_file is None else {"trace_file": self.writer}
