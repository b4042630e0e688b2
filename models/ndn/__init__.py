"""Named Data Networking: names, packets, tables, strategies and the forwarder."""

from simcore.models.ndn.component import Component
from simcore.models.ndn.content_store import CachePolicy, ContentStore
from simcore.models.ndn.data import Data
from simcore.models.ndn.device_face import NetDeviceFace
from simcore.models.ndn.face import Face, LinkType
from simcore.models.ndn.forwarder import Forwarder, Strategy, StrategyError, register_strategy
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpFields, LpPacket, NackReason, decode_packet
from simcore.models.ndn.name import Name, set_hash_key
from simcore.models.ndn.security import DigestSha256, EcdsaSha256, HmacSha256
from simcore.models.ndn.service_models import Cost, ServiceModel
from simcore.models.ndn.stack import (
    add_face,
    device_faces,
    face_towards,
    forwarder_of,
    install,
    neighbours_of,
)
from simcore.models.ndn.tlv import TlvError

__all__ = [
    "CachePolicy",
    "Component",
    "ContentStore",
    "Cost",
    "Data",
    "DigestSha256",
    "EcdsaSha256",
    "Face",
    "Forwarder",
    "HmacSha256",
    "Interest",
    "LinkType",
    "LpFields",
    "LpPacket",
    "NackReason",
    "Name",
    "NetDeviceFace",
    "ServiceModel",
    "Strategy",
    "StrategyError",
    "TlvError",
    "add_face",
    "decode_packet",
    "device_faces",
    "face_towards",
    "forwarder_of",
    "install",
    "neighbours_of",
    "register_strategy",
    "set_hash_key",
]
