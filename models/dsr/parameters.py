"""What can be set about DSR: defaults, and where each comes from."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

MS = 1_000_000
S = 1_000_000_000

ACKNOWLEDGEMENTS = ("link", "passive", "network")
CACHES = ("link", "path")

# What ns-3.44 does differently, by name; each can be had alone, to measure what it costs.
# The numbers are those of docs/ns3-behaviour.md.
DEPARTURES: dict[str, str] = {
    "timer_verdict": "1: the MAC's drop is ignored; a link is broken after two timers of 100 ms",
    "one_per_stream": "4: a second packet of a stream is lost while the first is unconfirmed "
    "(with timer_verdict)",
    "salvage_once": "6: salvaged packets are under no maintenance",
    "no_return": "7: a source whose first hop breaks drops its packet when it has no other route",
    "unmaintained_control": "9: replies and errors are under no maintenance",
    "error_discovery": "11: an error to a source without a cached route starts a discovery for it",
    "deaf_to_errors": "12: overheard errors are ignored",
    "same_identification": "15: the requests of one discovery carry the same identification",
    "square_backoff": "16: waits between requests grow with the square of their number",
    "late_replies": "17: replies from the cache wait 80 ms for each node of the route",
    "all_reply": "18: no reply from the cache is given up when the route is seen in use",
    "no_learning": "19: nothing is learned from requests in passing and from source routes",
    "one_reply": "21: the target answers a request once",
    "stale_links": "25: links past their lifetime stay in use",
    "slow_send_buffer": "28: the send buffer is only looked at when a reply comes",
    "no_blacklist": "30: one-way links are not noted",
    "arp": "32: neighbours are resolved by ARP, and dead for 100 s when they do not answer",
}


def setting(default: Any, source: str, unit: str, text: str) -> Any:
    """Field of `DsrParameters` with where its default comes from."""
    return dataclasses.field(
        default=default, metadata={"source": source, "unit": unit, "help": text}
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class DsrParameters:
    """Configuration of a node's DSR; times in ns.

    Raises
    ------
    ValueError
        If a value is out of range or a name is not known.
    """

    # RFC 4728 9.
    discovery_hop_limit: int = setting(
        255, "RFC 4728 9 DiscoveryHopLimit", "hops", "TTL of a propagating request"
    )
    broadcast_jitter: int = setting(
        10 * MS,
        "RFC 4728 9 BroadcastJitter",
        "ns",
        "longest random wait before a request is passed on or a reply sent",
    )
    route_cache_timeout: int = setting(
        300 * S, "RFC 4728 9 RouteCacheTimeout", "ns", "life of an unused path (path cache)"
    )
    send_buffer_timeout: int = setting(
        30 * S, "RFC 4728 9 SendBufferTimeout", "ns", "longest wait for a route"
    )
    request_table_size: int = setting(
        64, "RFC 4728 9 RequestTableSize", "nodes", "initiators and targets remembered"
    )
    request_table_ids: int = setting(
        16, "RFC 4728 9 RequestTableIds", "", "requests remembered of each initiator"
    )
    max_request_rexmt: int = setting(
        16, "RFC 4728 9 MaxRequestRexmt", "", "requests after the first before giving up"
    )
    max_request_period: int = setting(
        10 * S, "RFC 4728 9 MaxRequestPeriod", "ns", "longest wait between requests"
    )
    request_period: int = setting(
        500 * MS, "RFC 4728 9 RequestPeriod", "ns", "wait after the first propagating request"
    )
    nonprop_request_timeout: int = setting(
        30 * MS,
        "RFC 4728 9 NonpropRequestTimeout",
        "ns",
        "wait after the request to neighbours only; 0 does without it",
    )
    rexmt_buffer_size: int = setting(
        50, "RFC 4728 9 RexmtBufferSize", "packets", "maintenance buffer"
    )
    maint_holdoff_time: int = setting(
        250 * MS,
        "RFC 4728 9 MaintHoldoffTime",
        "ns",
        "a confirmed neighbour is not asked again for so long",
    )
    max_maint_rexmt: int = setting(
        2, "RFC 4728 9 MaxMaintRexmt", "", "retransmissions of an acknowledgement request"
    )
    try_passive_acks: int = setting(
        1, "RFC 4728 9 TryPassiveAcks", "", "retransmissions before a network-layer acknowledgement"
    )
    passive_ack_timeout: int = setting(
        100 * MS, "RFC 4728 9 PassiveAckTimeout", "ns", "wait for a passive acknowledgement"
    )
    grat_reply_holdoff: int = setting(
        1 * S,
        "RFC 4728 9 GratReplyHoldoff",
        "ns",
        "between gratuitous replies for one sender and transmitter",
    )
    max_salvage_count: int = setting(
        15, "RFC 4728 9 MAX_SALVAGE_COUNT", "", "times that a packet is salvaged"
    )
    # RFC 4728 appendix A.
    init_stability: int = setting(
        25 * S, "RFC 4728 A InitStability", "ns", "of a node not heard of before (link cache)"
    )
    stability_incr_factor: float = setting(
        4.0, "RFC 4728 A StabilityIncrFactor", "", "gain of stability by time in use"
    )
    stability_decr_factor: float = setting(
        0.5, "RFC 4728 A StabilityDecrFactor", "", "what a break leaves of stability"
    )
    min_lifetime: int = setting(1 * S, "RFC 4728 A MinLifetime", "ns", "of a new link at least")
    use_extends: int = setting(
        120 * S, "RFC 4728 A UseExtends", "ns", "life of a link after its last use at least"
    )
    # Attributes of ns-3.44 where the RFC gives no number.
    send_buffer_size: int = setting(64, "ns-3.44 MaxSendBuffLen", "packets", "send buffer")
    path_cache_size: int = setting(64, "ns-3.44 MaxCacheLen", "paths", "path cache")
    gratuitous_table_size: int = setting(
        64, "ns-3.44 GraReplyTableSize", "", "entries of the gratuitous reply table"
    )
    blacklist_timeout: int = setting(
        3 * S, "ns-3.44 BlacklistTimeout", "ns", "a link is probably one-way for so long"
    )
    queue_size: int = setting(
        400, "ns-3.44 MaxNetworkQueueSize", "packets", "network queue, each priority"
    )
    queue_delay: int = setting(
        30 * S, "ns-3.44 MaxNetworkQueueDelay", "ns", "longest stay in the network queue"
    )
    # Ours.
    link_cache_size: int = setting(4096, "own", "links", "link cache, each direction counted")
    reply_hop_delay: int = setting(
        2 * MS,
        "own (H of RFC 4728 8.2.5)",
        "ns",
        "wait of a reply from the cache for each hop of its route",
    )
    error_hold: int = setting(
        30 * S, "own", "ns", "how long an error waits for a request to ride on (RFC 4728 3.4.4)"
    )
    initial_ack_timeout: int = setting(
        200 * MS, "own", "ns", "first wait for a network-layer acknowledgement"
    )
    min_ack_timeout: int = setting(
        100 * MS, "own", "ns", "wait for a network-layer acknowledgement at least"
    )
    acknowledgement: str = setting(
        "link", "RFC 4728 8.3.1", "", "how the next hop is confirmed: link, passive or network"
    )
    cache: str = setting("link", "RFC 4728 4.1", "", "route cache: link or path")
    flow_state: bool = setting(
        False, "RFC 4728 3.5", "", "the optional extension: packets without source route"
    )
    flow_timeout: int = setting(60 * S, "own", "ns", "life of a flow, whole seconds")
    flow_establishment: int = setting(
        2, "own", "packets", "packets of a flow with source route before it counts as established"
    )
    flow_table_size: int = setting(1024, "own", "flows", "flow table")
    promiscuous: bool = setting(True, "RFC 4728 3.3.1", "", "listen to frames for others")
    departures: tuple[str, ...] = setting(
        (), "ns-3.44", "", "what is to be done as ns-3 does it: names of `DEPARTURES`"
    )

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, bool):
                continue
            if isinstance(field.default, int) and (not isinstance(value, int) or value < 0):
                unit = field.metadata["unit"]
                raise ValueError(
                    f"{field.name} is {value!r}: it must be an integer of 0 or more"
                    + (f" ({unit})" if unit else "")
                )
        if not 1 <= self.discovery_hop_limit <= 255:
            raise ValueError(
                f"discovery_hop_limit is {self.discovery_hop_limit}: it must be 1 to 255 hops"
            )
        if not 0 <= self.max_salvage_count <= 15:
            raise ValueError(f"max_salvage_count is {self.max_salvage_count}: it must be 0 to 15")
        for name in ("request_period", "max_request_period", "send_buffer_timeout"):
            if getattr(self, name) == 0:
                raise ValueError(f"{name} is 0 ns: it must be positive")
        if self.flow_timeout % S or not 1 * S <= self.flow_timeout <= 65535 * S:
            raise ValueError(
                f"flow_timeout is {self.flow_timeout} ns: it must be 1 to 65535 whole seconds"
            )
        for name in ("flow_establishment", "flow_table_size"):
            if getattr(self, name) == 0:
                raise ValueError(f"{name} is 0: it must be 1 or more")
        if self.acknowledgement not in ACKNOWLEDGEMENTS:
            raise ValueError(
                f"acknowledgement is {self.acknowledgement!r}: one of {', '.join(ACKNOWLEDGEMENTS)}"
            )
        if self.cache not in CACHES:
            raise ValueError(f"cache is {self.cache!r}: one of {', '.join(CACHES)}")
        object.__setattr__(self, "departures", tuple(self.departures))
        for name in self.departures:
            if name not in DEPARTURES:
                raise ValueError(f"departure {name!r} is unknown: one of {', '.join(DEPARTURES)}")
