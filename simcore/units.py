"""Units: durations as integer nanoseconds, data rates, powers, lengths, and their text forms.

Time is a signed 64-bit count of nanoseconds. Numbers become times by one rule, kept in
:func:`time_from_float`: the nearest nanosecond, ties to even, of the double ``value * unit`` (what
C's ``llrint`` gives). Integers are exact. Text ("0.1s") is read as a decimal fraction and rounded
by the same rule, without a detour over a binary fraction.

Nothing here imports more than :mod:`math` at start-up.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple, SupportsFloat, SupportsIndex

__all__ = [
    "MAX_TIME",
    "MINUTE",
    "MS",
    "NS",
    "US",
    "Dimension",
    "S",
    "UnitError",
    "dbm_to_watt",
    "dimension_of",
    "format_quantity",
    "format_rate",
    "format_time",
    "hours",
    "minutes",
    "ms",
    "ns",
    "parse_area",
    "parse_quantity",
    "parse_rate",
    "parse_time",
    "ratio_from_db",
    "ratio_to_db",
    "seconds",
    "time_from_float",
    "to_seconds",
    "us",
    "watt_to_dbm",
]

NS: Final = 1
US: Final = 1_000
MS: Final = 1_000_000
S: Final = 1_000_000_000
MINUTE: Final = 60 * S
HOUR: Final = 3600 * S

#: The last representable time: 2**63 - 1 ns, a little over 292 years.
MAX_TIME: Final = 2**63 - 1

_Number = SupportsFloat | SupportsIndex


class UnitError(ValueError):
    """A text that is no quantity, or has a unit of the wrong kind."""


def time_from_float(value: float, unit: int = S, name: str = "time") -> int:
    """Return ``value`` times ``unit`` nanoseconds, to the nearest nanosecond, ties to even.

    Parameters
    ----------
    value
        Any finite float.
    unit
        Nanoseconds in one unit of ``value``.
    name
        What the value is, for the error message.

    Raises
    ------
    ValueError
        If the value is NaN.
    OverflowError
        If the result is infinite or beyond the 64-bit range of times.
    """
    product = value * unit
    if product != product:
        raise ValueError(f"{name} is not a number: {value!r}")
    # 2**63 as a double is exact, and the first one that does not fit.
    if not -9223372036854775808.0 < product < 9223372036854775808.0:
        raise OverflowError(f"{name} is beyond the range of 64-bit nanoseconds: {value!r}")
    return round(product)


def _time(value: _Number, unit: int, name: str) -> int:
    if isinstance(value, int):
        result = value * unit
    elif isinstance(value, float):
        return time_from_float(value, unit, name)
    elif hasattr(value, "__index__"):
        result = value.__index__() * unit
    elif hasattr(value, "__float__") and not isinstance(value, (str, bytes)):
        return time_from_float(float(value), unit, name)
    else:
        raise TypeError(f"{name} must be a number, not {type(value).__name__}: {value!r}")
    if not -MAX_TIME <= result <= MAX_TIME:
        raise OverflowError(f"{name} is beyond the range of 64-bit nanoseconds: {value!r}")
    return result


def ns(value: _Number) -> int:
    """Return ``value`` nanoseconds as a time (integer nanoseconds)."""
    return _time(value, NS, "nanoseconds")


def us(value: _Number) -> int:
    """Return ``value`` microseconds as a time (integer nanoseconds)."""
    return _time(value, US, "microseconds")


def ms(value: _Number) -> int:
    """Return ``value`` milliseconds as a time (integer nanoseconds)."""
    return _time(value, MS, "milliseconds")


def seconds(value: _Number) -> int:
    """Return ``value`` seconds as a time (integer nanoseconds)."""
    return _time(value, S, "seconds")


def minutes(value: _Number) -> int:
    """Return ``value`` minutes as a time (integer nanoseconds)."""
    return _time(value, MINUTE, "minutes")


def hours(value: _Number) -> int:
    """Return ``value`` hours as a time (integer nanoseconds)."""
    return _time(value, HOUR, "hours")


def to_seconds(time: int) -> float:
    """Return a time in seconds, correctly rounded to a double."""
    return time / S


class Dimension(NamedTuple):
    """A kind of quantity.

    Attributes
    ----------
    name
        What it is called in messages.
    units
        Factor of each unit to the base unit, as a decimal text; ``"dB"`` in place of a factor marks
        a logarithmic unit (10 log10 of the base unit), ``"dBm"`` one relative to a thousandth.
    listed
        The units that messages suggest.
    """

    name: str
    units: dict[str, str]
    listed: tuple[str, ...]


def _rates() -> dict[str, str]:
    table: dict[str, str] = {}
    prefixes = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
    prefixes |= {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
    for prefix, factor in prefixes.items():
        for unit in ("bps", "b/s", "bit/s"):
            table[prefix + unit] = str(factor)
        for unit in ("Bps", "B/s"):
            table[prefix + unit] = str(8 * factor)
    return table


def _sizes() -> dict[str, str]:
    table = {"byte": "1", "bytes": "1"}
    prefixes = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
    prefixes |= {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
    for prefix, factor in prefixes.items():
        table[prefix + "B"] = str(factor)
    return table


_DIMENSIONS: Final = (
    Dimension(
        "time",
        {
            "ns": "1e-9",
            "us": "1e-6",
            "µs": "1e-6",
            "μs": "1e-6",
            "ms": "1e-3",
            "s": "1",
            "min": "60",
            "h": "3600",
            "d": "86400",
        },
        ("ns", "us", "ms", "s", "min", "h"),
    ),
    Dimension("data rate", _rates(), ("bps", "kbps", "Mbps", "Gbps", "kB/s")),
    Dimension("data size", _sizes(), ("B", "kB", "MB", "KiB", "MiB")),
    Dimension("length", {"mm": "1e-3", "cm": "1e-2", "m": "1", "km": "1e3"}, ("m", "km", "cm")),
    Dimension(
        "speed",
        {"m/s": "1", "mps": "1", "km/h": "1/3.6", "kmh": "1/3.6", "km/s": "1e3"},
        ("m/s", "km/h"),
    ),
    Dimension(
        "frequency",
        {"Hz": "1", "kHz": "1e3", "MHz": "1e6", "GHz": "1e9"},
        ("Hz", "kHz", "MHz", "GHz"),
    ),
    Dimension(
        "power",
        {
            "W": "1",
            "mW": "1e-3",
            "uW": "1e-6",
            "nW": "1e-9",
            "pW": "1e-12",
            "dBm": "dBm",
            "dBW": "dB",
        },
        ("dBm", "mW", "W"),
    ),
    Dimension("ratio", {"dB": "1"}, ("dB",)),
    Dimension("angle", {"rad": "1", "deg": "deg"}, ("rad", "deg")),
    Dimension("rate", {"1/s": "1", "/s": "1", "per s": "1"}, ("1/s",)),
)


def dimension_of(unit: str) -> Dimension | None:
    """Return the kind of quantity that ``unit`` measures, or None if the unit is not known."""
    for dimension in _DIMENSIONS:
        if unit in dimension.units:
            return dimension
    return None


def _split(text: str, name: str) -> tuple[str, str]:
    """Split "12.5 m/s" in the number's text and the unit's."""
    text = text.strip()
    end = 0
    length = len(text)
    if end < length and text[end] in "+-":
        end += 1
    if text[end : end + 3].lower() in ("inf", "nan"):
        end += 8 if text[end : end + 8].lower() == "infinity" else 3
    else:
        start = end
        while end < length and (text[end] in "0123456789." or (text[end] == "_" and end > start)):
            end += 1
        if end == start:
            raise UnitError(f"{name} has no number: {text!r}")
        if end < length and text[end] in "eE":
            exponent = end + 1
            if exponent < length and text[exponent] in "+-":
                exponent += 1
            if exponent < length and text[exponent] in "0123456789":
                while exponent < length and text[exponent] in "0123456789":
                    exponent += 1
                end = exponent
    return text[:end], text[end:].strip()


def _decimal(number: str, text: str, name: str) -> Any:
    from decimal import Decimal, InvalidOperation

    try:
        value = Decimal(number)
    except InvalidOperation:
        raise UnitError(f"{name} has no readable number: {text!r}") from None
    if value.is_nan():
        raise ValueError(f"{name} is not a number: {text!r}")
    if value.is_infinite() or value.adjusted() > 300:
        raise OverflowError(f"{name} is not finite: {text!r}")
    return value


def _factor(dimension: Dimension, unit: str) -> Any:
    """Return the unit's linear factor to the base unit as an exact fraction."""
    from fractions import Fraction

    text = dimension.units[unit]
    if text == "1/3.6":
        return Fraction(10, 36)
    if text == "deg":
        return Fraction(math.pi / 180)
    return Fraction(text)


def _wrong_unit(unit: str, name: str, dimension: Dimension) -> UnitError:
    return UnitError(f"wrong unit {unit!r} for {name}: use {' or '.join(dimension.listed)}")


def parse_quantity(text: str | float, unit: str, name: str = "value") -> int | float:
    """Return the quantity in ``unit``: ``parse_quantity("10 ms", "s")`` is 0.01.

    Parameters
    ----------
    text
        A number with or without a unit; without one it is taken to be in ``unit``. A number that is
        no text is returned as it is.
    unit
        The unit of the result. If it is none that this module knows ("packets"), only that very
        word is accepted after the number.
    name
        What the value is, for the error message.

    Returns
    -------
    int or float
        An int if the value is a whole number that was written without a point or an exponent, or
        that a conversion made whole.

    Raises
    ------
    UnitError
        If there is no number or the unit measures something else.
    ValueError, OverflowError
        If the number is NaN or infinite.
    """
    if not isinstance(text, str):
        return text
    number, written = _split(text, name)
    value = _decimal(number, text, name)
    whole = "." not in number and "e" not in number.lower()
    if written in ("", unit):
        return int(value) if whole else _finite(float(value), text, name)
    dimension = dimension_of(unit)
    if dimension is None:
        raise UnitError(f"wrong unit {written!r} for {name}: use {unit}")
    if written not in dimension.units:
        raise _wrong_unit(written, name, dimension)
    if dimension.units[written].startswith("dB") or dimension.units[unit].startswith("dB"):
        return _convert_power(float(value), written, unit, dimension)
    from fractions import Fraction

    exact = Fraction(value) * _factor(dimension, written) / _factor(dimension, unit)
    if exact.denominator == 1 and abs(exact) < 2**63:
        return int(exact)
    return float(exact)


def _finite(value: float, text: str, name: str) -> float:
    if math.isinf(value):
        raise OverflowError(f"{name} is not finite: {text!r}")
    return value


def _convert_power(value: float, written: str, unit: str, dimension: Dimension) -> float:
    kind = dimension.units[written]
    if kind == "dBm":
        watt = dbm_to_watt(value)
    elif kind == "dB":
        watt = ratio_from_db(value)
    else:
        watt = value * float(kind)
    kind = dimension.units[unit]
    if kind == "dBm":
        return watt_to_dbm(watt)
    if kind == "dB":
        return ratio_to_db(watt)
    return watt / float(kind)


def format_quantity(value: float, unit: str) -> str:
    """Return "20 m/s" for (20, "m/s"); whole floats lose their ".0"."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return f"{value} {unit}" if unit else f"{value}"


def parse_time(text: str | _Number, default: str | None = None, name: str = "time") -> int:
    """Return the time that a text such as "600s", "10 ms" or "1.5us" says, in nanoseconds.

    Parameters
    ----------
    text
        Number and unit (ns, us, ms, s, min, h, d). A number that is no text counts in ``default``
        units.
    default
        Unit of a number without one; by default such a number is an error, except for 0.
    name
        What the value is, for the error message.

    Raises
    ------
    UnitError
        If the text has no number, no unit, or a unit of something else.
    ValueError, OverflowError
        If the value is NaN or beyond 64-bit nanoseconds.
    """
    from fractions import Fraction

    dimension = _DIMENSIONS[0]
    if not isinstance(text, str):
        if default is None:
            raise UnitError(f"{name} has no unit: {text!r}; write for instance '{text}s'")
        return _time(text, int(_factor(dimension, default) * S), name)
    number, unit = _split(text, name)
    value = _decimal(number, text, name)
    if not unit:
        if default is None and value:
            raise UnitError(f"{name} has no unit: {text!r}; write for instance '{number}s'")
        unit = default or "s"
    if unit not in dimension.units:
        raise _wrong_unit(unit, name, dimension)
    if value.adjusted() < -60:
        return 0
    # Fractions round half to even, as floats do in time_from_float.
    result: int = round(Fraction(value) * _factor(dimension, unit) * S)
    if not -MAX_TIME <= result <= MAX_TIME:
        raise OverflowError(f"{name} is beyond the range of 64-bit nanoseconds: {text!r}")
    return result


def format_time(time: int) -> str:
    """Return the time exactly, in its largest fitting unit: 1_500_000 is "1.5ms".

    ``parse_time`` gives the same time back. Seconds are the largest unit used.
    """
    magnitude = abs(time)
    for unit, size in (("s", S), ("ms", MS), ("us", US)):
        if magnitude >= size or (magnitude == 0 and unit == "s"):
            whole, rest = divmod(magnitude, size)
            digits = f"{rest:0{len(str(size)) - 1}d}".rstrip("0")
            sign = "-" if time < 0 else ""
            return f"{sign}{whole}{'.' + digits if digits else ''}{unit}"
    return f"{time}ns"


def parse_rate(text: str | float, name: str = "data rate") -> int | float:
    """Return a data rate in bit/s: "0.512kbps" is 512, "11Mbps" 11_000_000, "1kB/s" 8000.

    Small b is bits, capital B bytes; k, M, G, T are powers of 1000 and Ki, Mi, Gi, Ti of 1024. A
    number without a unit is in bit/s.

    Raises
    ------
    UnitError
        If the text has no number or no unit of a data rate.
    ValueError, OverflowError
        If the rate is negative, NaN or infinite.
    """
    rate = parse_quantity(text, "bit/s", name)
    if rate != rate:
        raise ValueError(f"{name} is not a number: {text!r}")
    if math.isinf(rate):
        raise OverflowError(f"{name} is not finite: {text!r}")
    if rate < 0:
        raise ValueError(f"{name} is negative: {text!r}")
    return rate


def format_rate(rate: float) -> str:
    """Return a data rate with the largest prefix that leaves a number of at least one."""
    for prefix, size in (("T", 10**12), ("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if rate >= size:
            return f"{rate / size:g}{prefix}bps"
    return f"{rate:g}bps"


def dbm_to_watt(dbm: float) -> float:
    """Return the power in watt of a level in dBm (dB over one milliwatt)."""
    return float(10.0 ** (dbm / 10.0)) / 1000.0


def watt_to_dbm(watt: float) -> float:
    """Return the level in dBm of a power in watt; minus infinity for no power.

    Raises
    ------
    ValueError
        If the power is negative or NaN.
    """
    if not watt >= 0:
        raise ValueError(f"power must not be negative: {watt!r} W")
    return 10.0 * math.log10(watt * 1000.0) if watt else -math.inf


def ratio_from_db(db: float) -> float:
    """Return the ratio that a number of decibels stands for."""
    return float(10.0 ** (db / 10.0))


def ratio_to_db(ratio: float) -> float:
    """Return the decibels of a ratio of powers; minus infinity for zero.

    Raises
    ------
    ValueError
        If the ratio is negative or NaN.
    """
    if not ratio >= 0:
        raise ValueError(f"ratio must not be negative: {ratio!r}")
    return 10.0 * math.log10(ratio) if ratio else -math.inf


def parse_area(text: str | tuple[float, float], name: str = "area") -> tuple[float, float]:
    """Return width (x) and height (y) in metres of an area such as "300x1500" or "1 km x 300 m".

    Raises
    ------
    UnitError
        If the text is not two lengths with an x between them.
    ValueError
        If a side is negative, NaN or infinite.
    """
    if isinstance(text, str):
        sides: tuple[Any, ...] = tuple(text.lower().replace("×", "x").split("x"))
    else:
        sides = tuple(text)
    if len(sides) != 2:
        raise UnitError(f"{name} must be two lengths in m, such as '300x1500': {text!r}")
    width, height = (float(parse_quantity(side, "m", name)) for side in sides)
    for side in (width, height):
        if not (side >= 0 and math.isfinite(side)):
            raise ValueError(f"{name} has a side that is negative or not finite: {text!r}")
    return width, height
