"""Named Data Networking: names, packets, tables, strategies and the forwarder."""

from simcore.models.ndn.component import Component
from simcore.models.ndn.name import Name, set_hash_key
from simcore.models.ndn.tlv import TlvError

__all__ = ["Component", "Name", "TlvError", "set_hash_key"]
