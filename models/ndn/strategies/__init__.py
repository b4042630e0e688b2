"""Forwarding strategies, registered under NFD's names."""

from simcore.models.ndn.strategies.access import Access
from simcore.models.ndn.strategies.asf import Asf
from simcore.models.ndn.strategies.best_route import BestRoute
from simcore.models.ndn.strategies.multicast import Multicast
from simcore.models.ndn.strategies.random import Random
from simcore.models.ndn.strategies.self_learning import SelfLearning

__all__ = ["Access", "Asf", "BestRoute", "Multicast", "Random", "SelfLearning"]
