"""Checks of numeric parameters shared by movement and propagation models."""

from __future__ import annotations

import math
from collections.abc import Iterable


def invalid(field: str, value: object, rule: str) -> ValueError:
    """Return the error for a field whose value breaks a rule ("it must be ...")."""
    return ValueError(f"{field} is {value!r}: it must be {rule}")


def number(field: str, value: object, unit: str = "") -> float:
    """Return `value` as a finite float.

    Parameters
    ----------
    field : str
        Name of the parameter, for the message.
    value : object
        What was given.
    unit : str
        Its unit, for the message.

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it is NaN or infinite.
    """
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{field} is {value!r}: it must be a number{_of(unit)}")
    result = float(value)
    if not math.isfinite(result):
        raise invalid(field, value, f"a finite number{_of(unit)}")
    return result


def positive(field: str, value: object, unit: str = "") -> float:
    """Return `value` as a float above zero; errors as `number`."""
    result = number(field, value, unit)
    if not result > 0.0:
        raise invalid(field, value, f"a number{_of(unit)} above 0")
    return result


def not_negative(field: str, value: object, unit: str = "") -> float:
    """Return `value` as a float of at least zero; errors as `number`."""
    result = number(field, value, unit)
    if not result >= 0.0:
        raise invalid(field, value, f"a number{_of(unit)} of at least 0")
    return result


def at_least(field: str, value: object, low: float, unit: str = "") -> float:
    """Return `value` as a float of at least `low`; errors as `number`."""
    result = number(field, value, unit)
    if not result >= low:
        raise invalid(field, value, f"a number{_of(unit)} of at least {low:g}")
    return result


def vector(field: str, value: object, unit: str) -> tuple[float, float, float]:
    """Return two or three finite numbers as a triple; a missing z is 0.

    Raises
    ------
    TypeError
        If it is not a sequence of numbers.
    ValueError
        If it has another length, or a component is NaN or infinite.
    """
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError(f"{field} is {value!r}: it must be (x, y) or (x, y, z) in {unit}")
    parts = tuple(value)
    if len(parts) not in (2, 3):
        raise invalid(field, value, f"(x, y) or (x, y, z) in {unit}")
    x, y, z = (
        number(f"{field}.{axis}", part, unit)
        for axis, part in zip("xyz", (*parts, 0.0)[:3], strict=True)
    )
    return x, y, z


def rectangle(field: str, value: object) -> tuple[float, float, float, float]:
    """Return (x_min, x_max, y_min, y_max) in m.

    Raises
    ------
    TypeError
        If it is not a sequence of numbers.
    ValueError
        If it has not four finite numbers or a minimum lies above its maximum.
    """
    rule = "(x_min, x_max, y_min, y_max) in m with x_min <= x_max and y_min <= y_max"
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError(f"{field} is {value!r}: it must be {rule}")
    parts = tuple(value)
    if len(parts) != 4:
        raise invalid(field, value, rule)
    names = ("x_min", "x_max", "y_min", "y_max")
    x_min, x_max, y_min, y_max = (
        number(f"{field}.{name}", part, "m") for name, part in zip(names, parts, strict=True)
    )
    if x_min > x_max or y_min > y_max:
        raise invalid(field, value, rule)
    return x_min, x_max, y_min, y_max


def _of(unit: str) -> str:
    return f" of {unit}" if unit else ""
