"""Positions and movement of nodes."""

from simcore.models.mobility.allocators import (
    Grid,
    PositionAllocator,
    PositionList,
    RandomBox,
    RandomDisc,
    RandomRectangle,
    UniformDisc,
)
from simcore.models.mobility.install import install
from simcore.models.mobility.mobility import ConstantPosition, ConstantVelocity, MobilityModel
from simcore.models.mobility.neighbours import NeighbourGrid
from simcore.models.mobility.ns2 import MovementFileError, Ns2Movement
from simcore.models.mobility.random_walk import RandomWalk2d
from simcore.models.mobility.random_waypoint import RandomWaypoint
from simcore.models.mobility.trajectory import Trajectory, Waypoints

__all__ = [
    "ConstantPosition",
    "ConstantVelocity",
    "Grid",
    "MobilityModel",
    "MovementFileError",
    "NeighbourGrid",
    "Ns2Movement",
    "PositionAllocator",
    "PositionList",
    "RandomBox",
    "RandomDisc",
    "RandomRectangle",
    "RandomWalk2d",
    "RandomWaypoint",
    "Trajectory",
    "UniformDisc",
    "Waypoints",
    "install",
]
