"""Positions and movement of nodes."""

from simcore.models.mobility.mobility import ConstantPosition, MobilityModel

__all__ = ["ConstantPosition", "MobilityModel"]
