from collections.abc import Callable, Iterator
from typing import TypeVar

from simcore import Simulator
from simcore.models.ndn.announcement import AnnouncedRoutes
from simcore.models.ndn.component import Component
from simcore.models.ndn.content_store import CachePolicy, ContentStore
from simcore.models.ndn.data import Data
from simcore.models.ndn.dead_nonce_list import DeadNonceList
from simcore.models.ndn.face import Face, PacketSink
from simcore.models.ndn.fib import Fib, FibEntry, NextHop
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpFields
from simcore.models.ndn.measurements import Measurements
from simcore.models.ndn.name import Name
from simcore.models.ndn.network_region import NetworkRegionTable
from simcore.models.ndn.pit import ExpiryListener, Pit, PitEntry
from simcore.models.ndn.processing import Processor
from simcore.models.ndn.service_models import ServiceModel
from simcore.trace import TraceSet

STRATEGY_PREFIX: str
DEFAULT_STRATEGIES: dict[str, str]
UNSOLICITED_POLICIES: dict[str, int]
STRATEGIES: dict[str, type[Strategy]]

_Kind = TypeVar("_Kind", bound=type[Strategy])

class StrategyError(ValueError):
    code: int
    def __init__(self, code: int, message: str) -> None: ...

class Strategy:
    name: str
    version: int
    forwarder: Forwarder
    instance_name: Name
    wants_new_nexthop: bool
    def configure(self, parameters: dict[str, str]) -> None: ...
    def after_receive_interest(self, ingress: Face, interest: Interest, entry: PitEntry) -> int: ...
    def after_content_store_hit(
        self, data: Data, ingress: Face, interest: Interest, entry: PitEntry
    ) -> int: ...
    def before_satisfy_interest(self, data: Data, ingress: Face, entry: PitEntry) -> int: ...
    def after_receive_data(self, data: Data, ingress: Face, entry: PitEntry) -> int: ...
    def after_receive_nack(
        self, ingress: Face, interest: Interest, reason: int, entry: PitEntry
    ) -> int: ...
    def after_new_nexthop(self, nexthop: NextHop, entry: PitEntry) -> int: ...
    def on_interest_loop(self, ingress: Face, interest: Interest) -> int: ...
    def send_interest(self, interest: Interest, egress: Face, entry: PitEntry) -> bool: ...
    def send_interest_with(
        self, interest: Interest, egress: Face, entry: PitEntry, fields: LpFields | None
    ) -> bool: ...
    @property
    def data_fields(self) -> LpFields | None: ...
    def attach_announcement(self, announcement: bytes) -> None: ...
    def send_data(self, data: Data, egress: Face, entry: PitEntry) -> int: ...
    def send_data_to_all(self, data: Data, ingress: Face, entry: PitEntry) -> int: ...
    def send_nack(self, reason: int, egress: Face, entry: PitEntry) -> int: ...
    def send_nacks(self, reason: int, entry: PitEntry) -> int: ...
    def reject(self, entry: PitEntry) -> int: ...
    def set_expiry(self, entry: PitEntry, delay: int) -> int: ...
    def lookup_fib(self, entry: PitEntry) -> FibEntry: ...
    def return_nack(self, entry: PitEntry) -> int: ...
    def is_eligible(self, ingress: Face, interest: Interest, nexthop: NextHop) -> bool: ...

class StrategyChoice:
    def __init__(self, forwarder: Forwarder) -> None: ...
    def set(
        self, prefix: Name | str, strategy: Strategy | type[Strategy] | Name | str
    ) -> Strategy: ...
    def unset(self, prefix: Name | str) -> bool: ...
    def find(self, name: Name | str) -> Strategy: ...
    def __iter__(self) -> Iterator[tuple[Name, Strategy]]: ...
    def __len__(self) -> int: ...

class Counters:
    in_interests: int
    out_interests: int
    in_data: int
    out_data: int
    in_nacks: int
    out_nacks: int
    cs_hits: int
    cs_misses: int
    satisfied: int
    unsatisfied: int
    unsolicited_data: int
    pit_full: int
    def as_dict(self) -> dict[str, int]: ...

class Pipelines(ExpiryListener): ...

class Forwarder(PacketSink):
    sim: Simulator
    node_id: int
    fib: Fib
    pit: Pit
    cs: ContentStore
    dead_nonces: DeadNonceList
    strategy_choice: StrategyChoice
    measurements: Measurements
    network_region: NetworkRegionTable
    announced: AnnouncedRoutes
    counters: Counters
    @property
    def trace(self) -> TraceSet: ...
    processor: Processor | None
    faces: dict[int, Face]
    face_listeners: list[Callable[[Face, bool], object]]
    pit_limit: int
    def __init__(
        self,
        sim: Simulator,
        node_id: int = 0,
        *,
        cs_capacity: int = 65536,
        cs_policy: str | CachePolicy = "lru",
        strategy: Strategy | type[Strategy] | Name | str = "best-route",
        unsolicited: str = "drop-all",
        default_hop_limit: int = 0,
        dead_nonce_lifetime: int = ...,
        dead_nonce_limit: int = ...,
        pit_limit: int = ...,
        service_model: ServiceModel | str | None = "none",
    ) -> None: ...
    def add_face(self, face: Face) -> Face: ...
    def remove_face(self, face: Face) -> None: ...
    def add_route(self, prefix: Name | str, face: Face, cost: int = 0) -> FibEntry: ...
    def new_nexthop(self, changed: FibEntry, nexthop: NextHop) -> None: ...

def face_number(face: Face) -> int: ...
def refuse_parameters(strategy: Strategy, parameters: dict[str, str]) -> None: ...
def register_strategy(kind: _Kind) -> _Kind: ...
def strategy_from(given: Strategy | type[Strategy] | Name | str) -> Strategy: ...
def version_of(component: Component) -> int | None: ...
