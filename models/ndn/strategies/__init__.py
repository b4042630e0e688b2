"""Forwarding strategies, registered under NFD's names."""

from simcore.models.ndn.strategies.best_route import BestRoute
from simcore.models.ndn.strategies.multicast import Multicast

__all__ = ["BestRoute", "Multicast"]
