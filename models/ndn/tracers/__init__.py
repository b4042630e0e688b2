"""Tables of rates, delays, cache hits and losses, as ndnSIM's tracers write them."""

from simcore.models.ndn.tracers.app_delay import AppDelayTracer
from simcore.models.ndn.tracers.cs import CsTracer
from simcore.models.ndn.tracers.l2_rate import L2RateTracer
from simcore.models.ndn.tracers.l3_rate import L3RateTracer

__all__ = ["AppDelayTracer", "CsTracer", "L2RateTracer", "L3RateTracer"]
