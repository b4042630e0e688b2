"""Service-time models of forwarders, and the ones calibrated on published or measured figures.

How the constants were found: docs/models/ndn-processing.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

__all__ = ["SERVICE_MODELS", "Cost", "ServiceModel", "service_model_from"]

#: Largest coefficient of a cost, in us: keeps service times of any packet below a day.
MAX_COEFFICIENT = 1e6

#: Packets that wait. Linux's default socket buffer (net.core.rmem_default, 212,992 bytes) holds
#: 277 datagrams of up to 512 bytes, counted with 768 bytes each.
DEFAULT_QUEUE = 277


@dataclass(frozen=True, slots=True)
class Cost:
    """Time a pipeline takes for a packet: constant + per_component * components + per_byte * bytes.

    Attributes
    ----------
    constant, per_component, per_byte : float
        us.

    Raises
    ------
    ValueError
        When one of them is negative or not finite.
    """

    constant: float = 0.0
    per_component: float = 0.0
    per_byte: float = 0.0

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not (math.isfinite(value) and 0 <= value <= MAX_COEFFICIENT):
                raise ValueError(
                    f"{item.name} is {value} us: it must be from 0 to {MAX_COEFFICIENT:g}"
                )

    def of(self, components: int, size: int) -> float:
        """Return the time (us) for a packet whose name has so many components."""
        return self.constant + self.per_component * components + self.per_byte * size


@dataclass(frozen=True, slots=True)
class ServiceModel:
    """What a forwarder's processor takes for packets, and how many may wait for it.

    Attributes
    ----------
    interest : Cost
        An Interest that is not answered from the content store, the end of its pending entry
        included.
    hit : Cost
        An Interest that is answered from the content store.
    data : Cost
        Data, without its insertion into the content store.
    insert : Cost
        Insertion into the content store, where there is one.
    nack : Cost
        A Nack.
    queue : int
        Packets that may wait; further ones are dropped.
    servers : int
        Packets served at a time.
    source : str
        Where the constants come from.

    Raises
    ------
    ValueError
        When the queue or the number of servers is out of range.
    """

    interest: Cost = field(default_factory=Cost)
    hit: Cost = field(default_factory=Cost)
    data: Cost = field(default_factory=Cost)
    insert: Cost = field(default_factory=Cost)
    nack: Cost = field(default_factory=Cost)
    queue: int = DEFAULT_QUEUE
    servers: int = 1
    source: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.queue <= 1 << 24:
            raise ValueError(f"queue is {self.queue} packets: it must be 0 to 2**24")
        if not 1 <= self.servers <= 1024:
            raise ValueError(f"servers is {self.servers}: it must be 1 to 1024")


# Copying and sending a byte, measured with NFD 24.07. The published figures have one payload only.
PER_BYTE = 0.0024

# Least worst relative deviation of constant + per_component * components from the published
# capacities (Interests/s), without content for Interests, with content for Interest and Data
# together; what Data takes is the difference, less 1,435 bytes of payload. There are no figures for
# hits and Nacks: they count as Interests do.
_NFD_0_1_INTEREST = Cost(12.20, 16.26)
_NFD_0_2_INTEREST = Cost(14.08, 3.074)

SERVICE_MODELS: dict[str, ServiceModel | None] = {
    "none": None,
    "nfd-0.1": ServiceModel(
        interest=_NFD_0_1_INTEREST,
        hit=_NFD_0_1_INTEREST,
        data=Cost(102.98, 12.43, PER_BYTE),
        nack=_NFD_0_1_INTEREST,
        source="first NFD forwarding report (before 0.2, 128 pairs)",
    ),
    "nfd-0.2": ServiceModel(
        interest=_NFD_0_2_INTEREST,
        hit=_NFD_0_2_INTEREST,
        data=Cost(43.67, 3.093, PER_BYTE),
        nack=_NFD_0_2_INTEREST,
        source="second NFD forwarding report (0.2, 64 pairs)",
    ),
    # Measured: 14.3 + 0.63 n without content, 73.4 + 2.5 n + 0.0024 bytes with, a cache hit 16 with
    # 3 components, and 57 in place of 83 without a content store. No figure for Nacks.
    "nfd-24.07": ServiceModel(
        interest=Cost(14.3, 0.63),
        hit=Cost(14.1, 0.63),
        data=Cost(33.3, 1.87, PER_BYTE),
        insert=Cost(25.8),
        nack=Cost(14.3, 0.63),
        source="NFD 24.07, 64 pairs, 800 B, Unix sockets, CPU time on one core",
    ),
}


def service_model_from(given: ServiceModel | str | None) -> ServiceModel | None:
    """Return the model of a name, or the model itself; None for no time at all.

    Raises
    ------
    ValueError
        When there is no model of this name.
    """
    if given is None or isinstance(given, ServiceModel):
        return given
    if given not in SERVICE_MODELS:
        raise ValueError(
            f"service_model is {given!r}: it must be one of {', '.join(SERVICE_MODELS)},"
            " or a ServiceModel"
        )
    return SERVICE_MODELS[given]
