from simcore.models.dsr.route_cache import RouteCache
from simcore.models.network.address import Ipv4Address

_Address = Ipv4Address | str | int

class LinkCache(RouteCache):
    def __init__(
        self,
        own: _Address,
        *,
        capacity: int = 4096,
        init_stability: int = 25_000_000_000,
        min_lifetime: int = 1_000_000_000,
        use_extends: int = 120_000_000_000,
        stability_incr_factor: float = 4.0,
        stability_decr_factor: float = 0.5,
        keep_expired: bool = False,
    ) -> None: ...
    @property
    def capacity(self) -> int: ...
    @property
    def link_count(self) -> int: ...
    @property
    def keep_expired(self) -> bool: ...
    @property
    def has_external(self) -> bool: ...
    def links(self, now: int = 0) -> list[tuple[Ipv4Address, Ipv4Address, int]]: ...
    def stability(self, address: _Address) -> int: ...
    def set_external(self, a: _Address, b: _Address) -> None: ...
