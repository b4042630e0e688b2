"""Named Data Networking: names, packets, tables, strategies and the forwarder."""

from simcore.models.ndn.component import Component
from simcore.models.ndn.data import Data
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpFields, LpPacket, NackReason, decode_packet
from simcore.models.ndn.name import Name, set_hash_key
from simcore.models.ndn.security import DigestSha256, EcdsaSha256, HmacSha256
from simcore.models.ndn.tlv import TlvError

__all__ = [
    "Component",
    "Data",
    "DigestSha256",
    "EcdsaSha256",
    "HmacSha256",
    "Interest",
    "LpFields",
    "LpPacket",
    "NackReason",
    "Name",
    "TlvError",
    "decode_packet",
    "set_hash_key",
]
