from collections.abc import Iterable

from simcore.models.dsr.route import Route
from simcore.models.network.address import Ipv4Address

_Address = Ipv4Address | str | int

class RouteCache:
    def __init__(self, own: _Address) -> None: ...
    @property
    def own(self) -> int: ...
    def add(
        self,
        hops: Iterable[_Address],
        now: int = 0,
        *,
        at: int | None = None,
    ) -> bool: ...
    def lookup(self, destination: _Address, now: int = 0) -> Route | None: ...
    def send_along(self, route: Route, destination: _Address, now: int = 0) -> None: ...
    def remove_link(self, a: _Address, b: _Address, now: int = 0) -> bool: ...
