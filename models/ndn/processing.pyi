from simcore import Simulator
from simcore.models.ndn.content_store import ContentStore
from simcore.models.ndn.face import PacketSink
from simcore.models.ndn.service_models import ServiceModel
from simcore.simulator import Event

class Job: ...
class Server(Event): ...

class Processor(PacketSink):
    sim: Simulator
    forwarder: PacketSink
    model: ServiceModel
    queue_length: int
    peak_queue: int
    served: int
    def __init__(
        self, sim: Simulator, forwarder: PacketSink, cs: ContentStore, model: ServiceModel | str
    ) -> None: ...
    @property
    def drops(self) -> int: ...
    @property
    def drops_by_kind(self) -> dict[str, int]: ...
    @property
    def utilisation(self) -> float: ...
    @property
    def mean_waiting_time(self) -> float: ...
