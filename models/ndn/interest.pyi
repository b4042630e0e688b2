from collections.abc import Iterable
from typing import Any

from simcore.models.ndn.data import Data
from simcore.models.ndn.name import Name
from simcore.models.ndn.security import Signer

class Interest:
    name: Name
    lifetime_ms: int
    has_nonce: bool
    can_be_prefix: bool
    must_be_fresh: bool
    forwarding_hint: tuple[Name, ...]
    def __init__(
        self,
        name: Name | str,
        *,
        nonce: int | None = None,
        lifetime: int | None = None,
        can_be_prefix: bool = False,
        must_be_fresh: bool = False,
        hop_limit: int | None = None,
        forwarding_hint: Iterable[Name | str] = (),
        parameters: bytes | None = None,
        signer: Signer | None = None,
    ) -> None: ...
    @staticmethod
    def from_wire(wire: bytes) -> Interest: ...
    def replaced(self, **changes: Any) -> Interest: ...
    def to_wire(self) -> bytes: ...
    def matches(self, data: Data) -> bool: ...
    @property
    def nonce(self) -> int | None: ...
    @property
    def lifetime(self) -> int: ...
    @property
    def hop_limit(self) -> int | None: ...
    @property
    def wire_size(self) -> int: ...
    @property
    def application_parameters(self) -> bytes | None: ...
    @property
    def signature_info(self) -> bytes | None: ...
    @property
    def signature_value(self) -> bytes | None: ...
    @property
    def signed_portion(self) -> bytes: ...
    def section_value(self, type: int) -> bytes | None: ...
    def __hash__(self) -> int: ...
