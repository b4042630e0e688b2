from typing import Any

from simcore.models.ndn.apps.application import NdnApplication
from simcore.models.ndn.apps.outstanding import Outstanding
from simcore.models.ndn.name import Name
from simcore.models.ndn.rtt import RttEstimator
from simcore.models.network import Node
from simcore.trace import TraceSet

class Consumer(NdnApplication):
    prefix: Name
    lifetime_ms: int
    count: int
    next_sequence: int
    can_be_prefix: bool
    must_be_fresh: bool
    retransmit: bool
    rtt: RttEstimator
    outstanding: Outstanding
    sent: int
    retransmitted: int
    received: int
    duplicates: int
    received_bytes: int
    nacks: int
    timeouts: int
    lost: int
    total_delay: int
    max_delay: int
    total_hops: int
    def __init__(
        self,
        node: Node,
        prefix: Name | str,
        *,
        lifetime: int | str = "2s",
        count: int = 0,
        first_sequence: int = 0,
        can_be_prefix: bool = False,
        must_be_fresh: bool = False,
        hop_limit: int | None = None,
        retransmit: bool = True,
        start: int | str | None = None,
        stop: int | str | None = None,
    ) -> None: ...
    def sources(self) -> TraceSet: ...
    def send_next(self) -> bool: ...
    def on_timeout(self, sequence: int) -> Any: ...
    @property
    def mean_delay(self) -> float | None: ...
    @property
    def mean_hops(self) -> float | None: ...
