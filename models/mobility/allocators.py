"""Position allocators: where nodes start, and where random waypoints lie."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from typing import Self

from simcore.models.mobility.checks import invalid, not_negative, number, rectangle, vector
from simcore.models.mobility.draws import Quantity, drawn_from, quantity
from simcore.random import RandomStream, Uniform

Position = tuple[float, float, float]


class PositionAllocator:
    """Gives one position after another; subclass it and define `next` for one of your own."""

    def next(self) -> Position:
        """Return the next position, (x, y, z) in m."""
        raise NotImplementedError(f"{type(self).__name__} does not define next()")

    def drawn_from(self, stream: RandomStream) -> PositionAllocator:
        """Return this allocator, drawing from `stream` where it has no stream of its own.

        Movement models call it, so that each node draws from its own stream.
        """
        return self


class Grid(PositionAllocator):
    """Lines of equally spaced positions.

    Parameters
    ----------
    x_min, y_min : float
        The first position (m).
    delta_x, delta_y : float
        Spacing (m).
    width : int
        Positions in a line.
    row_first : bool
        Lines run along x (True) or along y.
    z : float
        Height of all positions (m).

    Raises
    ------
    ValueError
        If a number is not finite or `width` is below 1.
    """

    def __init__(
        self,
        x_min: float = 0.0,
        y_min: float = 0.0,
        delta_x: float = 1.0,
        delta_y: float = 1.0,
        width: int = 10,
        *,
        row_first: bool = True,
        z: float = 0.0,
    ) -> None:
        if isinstance(width, bool) or not isinstance(width, int) or width < 1:
            raise invalid("width", width, "a whole number of at least 1")
        self.x_min = number("x_min", x_min, "m")
        self.y_min = number("y_min", y_min, "m")
        self.delta_x = number("delta_x", delta_x, "m")
        self.delta_y = number("delta_y", delta_y, "m")
        self.z = number("z", z, "m")
        self.width = width
        self.row_first = bool(row_first)
        self._given = 0

    def next(self) -> Position:
        """Return the next position along the line, or the first of the next line."""
        line, place = divmod(self._given, self.width)
        self._given += 1
        column, row = (place, line) if self.row_first else (line, place)
        return self.x_min + self.delta_x * column, self.y_min + self.delta_y * row, self.z


class PositionList(PositionAllocator):
    """The positions of a list, from the start again after the last.

    Parameters
    ----------
    positions : iterable of tuple of float
        (x, y) or (x, y, z) in m.

    Raises
    ------
    ValueError
        If there are none or a coordinate is not finite.
    """

    def __init__(self, positions: Iterable[tuple[float, ...]]) -> None:
        self.positions = [
            vector(f"positions[{index}]", position, "m") for index, position in enumerate(positions)
        ]
        if not self.positions:
            raise ValueError("positions is empty: it must hold at least one position")
        self._given = 0

    def next(self) -> Position:
        """Return the next position of the list."""
        found = self.positions[self._given % len(self.positions)]
        self._given += 1
        return found


class _Random(PositionAllocator):
    """An allocator whose distributions, named in `_drawn`, may come from a node's stream."""

    _drawn: tuple[str, ...] = ()

    def drawn_from(self, stream: RandomStream) -> Self:
        """Return a copy that draws from `stream` where a distribution has no stream."""
        bound = copy.copy(self)
        for name in self._drawn:
            setattr(bound, name, drawn_from(getattr(self, name), stream))
        return bound


class RandomRectangle(_Random):
    """Positions with independent coordinates, uniform over a rectangle unless said otherwise.

    Parameters
    ----------
    x, y : float, str or Distribution
        Coordinates (m).
    z : float
        Height of all positions (m).
    """

    _drawn = ("x", "y")

    def __init__(self, x: Quantity, y: Quantity, z: float = 0.0) -> None:
        self.x = quantity("x", x, "m")
        self.y = quantity("y", y, "m")
        self.z = number("z", z, "m")

    @classmethod
    def within(cls, bounds: tuple[float, float, float, float], z: float = 0.0) -> Self:
        """Return the uniform allocator over (x_min, x_max, y_min, y_max) in m."""
        x_min, x_max, y_min, y_max = rectangle("bounds", bounds)
        return cls(_between(x_min, x_max), _between(y_min, y_max), z)

    def next(self) -> Position:
        """Draw x, then y."""
        x = self.x.draw()
        return x, self.y.draw(), self.z


class RandomBox(_Random):
    """Positions with three independent coordinates.

    Parameters
    ----------
    x, y, z : float, str or Distribution
        Coordinates (m).
    """

    _drawn = ("x", "y", "z")

    def __init__(self, x: Quantity, y: Quantity, z: Quantity) -> None:
        self.x = quantity("x", x, "m")
        self.y = quantity("y", y, "m")
        self.z = quantity("z", z, "m")

    def next(self) -> Position:
        """Draw x, then y, then z."""
        x = self.x.draw()
        y = self.y.draw()
        return x, y, self.z.draw()


class RandomDisc(_Random):
    """Positions at a random angle and a random distance from a centre.

    With a uniform distance they are denser at the centre; see `UniformDisc`.

    Parameters
    ----------
    rho : float, str or Distribution
        Distance (m).
    theta : float, str or Distribution, optional
        Angle (rad), by default uniform from 0 to 2 pi.
    x, y, z : float
        The centre (m).
    """

    _drawn = ("theta", "rho")

    def __init__(
        self,
        rho: Quantity,
        theta: Quantity | None = None,
        *,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
    ) -> None:
        self.rho = quantity("rho", rho, "m")
        self.theta = quantity("theta", Uniform(0.0, math.tau) if theta is None else theta, "rad")
        self.x = number("x", x, "m")
        self.y = number("y", y, "m")
        self.z = number("z", z, "m")

    def next(self) -> Position:
        """Draw the angle, then the distance."""
        theta = self.theta.draw()
        rho = self.rho.draw()
        return self.x + math.cos(theta) * rho, self.y + math.sin(theta) * rho, self.z


class UniformDisc(_Random):
    """Positions of equal density over a disc.

    Parameters
    ----------
    radius : float
        m.
    x, y, z : float
        The centre (m).
    """

    _drawn = ("_offset",)

    def __init__(self, radius: float, *, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        self.radius = not_negative("radius", radius, "m")
        self.x = number("x", x, "m")
        self.y = number("y", y, "m")
        self.z = number("z", z, "m")
        self._offset = quantity("radius", _between(-self.radius, self.radius), "m")

    def next(self) -> Position:
        """Draw points of the square around the disc until one lies in it."""
        while True:
            x = self._offset.draw()
            y = self._offset.draw()
            if math.hypot(x, y) <= self.radius:
                return self.x + x, self.y + y, self.z


def _between(low: float, high: float) -> Quantity:
    """Return a uniform distribution, or a constant where there is no room for one."""
    return Uniform(low, high) if low < high else low
