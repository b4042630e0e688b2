"""Checks of parameters shared by streams and distributions."""

from __future__ import annotations

import operator
from typing import SupportsIndex

MINIMUM_ACCEPTANCE = 1e-6
"""A bound that lets through fewer draws than this would look like a hang; it is refused."""


def invalid(field: str, value: object, rule: str) -> ValueError:
    """Return the error for a field whose value breaks a rule.

    Parameters
    ----------
    field : str
        Name of the parameter.
    value : object
        What was given.
    rule : str
        What is right, as the end of the sentence "it must be ...".
    """
    return ValueError(f"{field} is {value!r}; it must be {rule}")


def integer_between(field: str, value: SupportsIndex, low: int, high: int) -> int:
    """Return `value` as an int if it lies between `low` and `high`, both included.

    Raises
    ------
    TypeError
        If `value` is not an integer (a bool or a float is none).
    ValueError
        If it lies outside.
    """
    if isinstance(value, bool):
        raise TypeError(f"{field} is {value!r}; it must be an integer")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{field} is {value!r}; it must be an integer") from None
    if not low <= number <= high:
        raise invalid(field, number, f"between {low} and {high}")
    return number


def require_acceptance(bound: float, probability: float) -> None:
    """Refuse a bound that so few draws respect that the next one would not come.

    Raises
    ------
    ValueError
        If `probability` is under `MINIMUM_ACCEPTANCE`.
    """
    if not probability >= MINIMUM_ACCEPTANCE:
        raise invalid(
            "bound",
            bound,
            f"so wide that at least {MINIMUM_ACCEPTANCE:g} of all draws respect it, "
            f"but only {probability:.3g} do",
        )
