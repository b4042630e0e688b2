from simcore.models.ndn.apps.application import NdnApplication
from simcore.models.ndn.data import Data
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.name import Name
from simcore.models.network import Node

class Producer(NdnApplication):
    prefix: Name
    postfix: Name | None
    payload_size: int
    freshness_ms: int
    cost: int
    interests: int
    answered: int
    def __init__(
        self,
        node: Node,
        prefix: Name | str,
        *,
        payload_size: int = 1024,
        freshness: int | str = 0,
        postfix: Name | str = "/",
        cost: int = 0,
        start: int | str | None = None,
        stop: int | str | None = None,
    ) -> None: ...
    def on_interest(self, interest: Interest) -> Data | None: ...
