"""Dynamic Source Routing (RFC 4728)."""

from simcore.models.dsr.dsr import Dsr
from simcore.models.dsr.header import DsrHeader, FlowStateHeader
from simcore.models.dsr.install import install_dsr
from simcore.models.dsr.link_cache import LinkCache
from simcore.models.dsr.options import (
    Acknowledgement,
    AckRequest,
    DestinationFlow,
    DsrOption,
    DsrParseError,
    Padding,
    RouteError,
    RouteReply,
    RouteRequest,
    SegmentsLeftError,
    SourceRoute,
    Timeout,
    UnknownOption,
)
from simcore.models.dsr.parameters import DEPARTURES, DsrParameters
from simcore.models.dsr.path_cache import PathCache
from simcore.models.dsr.route import Route

__all__ = [
    "DEPARTURES",
    "AckRequest",
    "Acknowledgement",
    "DestinationFlow",
    "Dsr",
    "DsrHeader",
    "DsrOption",
    "DsrParameters",
    "DsrParseError",
    "FlowStateHeader",
    "LinkCache",
    "Padding",
    "PathCache",
    "Route",
    "RouteError",
    "RouteReply",
    "RouteRequest",
    "SegmentsLeftError",
    "SourceRoute",
    "Timeout",
    "UnknownOption",
    "install_dsr",
]
