"""Random quantities of movement: given as a number, a text or a distribution."""

from __future__ import annotations

from simcore.models.mobility.checks import number
from simcore.random import Constant, Distribution, RandomStream, parse_distribution

Quantity = float | str | Distribution
"""A constant, a text such as ``"uniform(0, 20)"``, or a distribution."""


def quantity(field: str, value: Quantity, unit: str) -> Distribution:
    """Return the distribution that a parameter describes; it need not have a stream yet.

    Raises
    ------
    TypeError
        If it is none of number, text and distribution.
    ValueError
        If the number is not finite or the text describes no distribution.
    """
    if isinstance(value, Distribution):
        return value
    if isinstance(value, str):
        try:
            return parse_distribution(value)
        except ValueError as error:
            raise ValueError(f"{field}: {error}") from None
    return Constant(number(field, value, unit))


def drawn_from(distribution: Distribution, stream: RandomStream) -> Distribution:
    """Return a copy that draws from `stream`, or the distribution itself if it has a stream."""
    return distribution if distribution.stream is not None else distribution.copy(stream)
