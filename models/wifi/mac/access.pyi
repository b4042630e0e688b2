from typing import final

from simcore.models.wifi.mac.queue import WifiMacQueue
from simcore.random import RandomStream
from simcore.simulator import Simulator

@final
class Txop:
    def __init__(
        self,
        queue: WifiMacQueue,
        stream: RandomStream,
        *,
        aifsn: int = 2,
        cw_min: int = 31,
        cw_max: int = 1023,
        qos: bool = False,
    ) -> None: ...
    @property
    def aifsn(self) -> int: ...
    @property
    def qos(self) -> bool: ...
    @property
    def cw_min(self) -> int: ...
    @property
    def cw_max(self) -> int: ...
    @property
    def cw(self) -> int: ...
    @property
    def retries(self) -> int: ...
    @property
    def backoff_slots(self) -> int: ...

class AccessListener: ...

@final
class ChannelAccess:
    def __init__(
        self,
        sim: Simulator,
        owner: AccessListener,
        slot: int,
        sifs: int,
        ack_duration: int,
        forget_after: int = 0,
    ) -> None: ...
    @property
    def suspended(self) -> bool: ...
    @property
    def forget_after(self) -> int: ...
    @property
    def slot(self) -> int: ...
    @property
    def sifs(self) -> int: ...
    @property
    def eifs_no_difs(self) -> int: ...
    def add(self, txop: Txop) -> None: ...
