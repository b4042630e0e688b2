from simcore.models.dsr.route import Route
from simcore.models.dsr.route_cache import RouteCache
from simcore.models.network.address import Ipv4Address

class PathCache(RouteCache):
    def __init__(
        self,
        own: Ipv4Address | str | int,
        *,
        capacity: int = 64,
        timeout: int = 300_000_000_000,
        keep_expired: bool = False,
    ) -> None: ...
    @property
    def capacity(self) -> int: ...
    @property
    def keep_expired(self) -> bool: ...
    def __len__(self) -> int: ...
    def routes(self, now: int = 0) -> list[Route]: ...
