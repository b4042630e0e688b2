from simcore.models.network.address import Ipv4Like
from simcore.models.network.packet import Header

class UdpHeader(Header):
    def __init__(
        self,
        source: Ipv4Like,
        source_port: int,
        destination: Ipv4Like,
        destination_port: int,
        payload_size: int,
    ) -> None: ...
    @property
    def source(self) -> int: ...
    @property
    def source_port(self) -> int: ...
    @property
    def destination(self) -> int: ...
    @property
    def destination_port(self) -> int: ...
    @property
    def payload_size(self) -> int: ...
    @property
    def checksum_ok(self) -> bool: ...
    @staticmethod
    def parse(
        data: bytes, source: Ipv4Like = "0.0.0.0", destination: Ipv4Like = "0.0.0.0"
    ) -> tuple[UdpHeader, bytes]: ...
