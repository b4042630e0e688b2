"""Declared parameters of a scenario: type, unit, range; the one place where values are checked."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from simcore.units import dimension_of, format_rate, parse_area, parse_quantity

__all__ = ["Parameter", "ParameterError", "near_matches", "parameter"]

_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0"}
_MISSING: Any = dataclasses.MISSING


class ParameterError(ValueError):
    """A parameter that does not exist, or a value that it cannot take.

    Attributes
    ----------
    parameter
        Name of the parameter.
    value
        What it was given.
    """

    def __init__(self, message: str, parameter: str, value: Any = None) -> None:
        super().__init__(message)
        self.parameter = parameter
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.parameter, self.value)


def near_matches(word: str, known: Iterable[str]) -> list[str]:
    """Return the known words that ``word`` may have been meant to be, best first."""
    import difflib

    return difflib.get_close_matches(word, list(known), n=3, cutoff=0.6)


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One declared parameter.

    Attributes
    ----------
    name
        Field name.
    type
        ``bool``, ``int``, ``float``, ``str`` or ``tuple`` (of floats).
    optional
        Whether None is a value.
    default
        Checked default.
    unit
        Unit of the value, "" if it has none.
    help
        One line.
    choices
        The values that are allowed, if only these are.
    min, max
        Bounds, both allowed values themselves.
    length
        How many numbers a tuple has; 0 for any.
    """

    name: str
    type: type
    optional: bool = False
    default: Any = None
    unit: str = ""
    help: str = ""
    choices: tuple[Any, ...] = ()
    min: float | None = None
    max: float | None = None
    length: int = 0

    def check(self, value: Any) -> Any:
        """Return the value in the parameter's type and unit.

        Raises
        ------
        ParameterError
            Naming the parameter, the value and what would be right.
        """
        if value is None or (self.optional and value == "none"):
            if self.optional:
                return None
            raise ParameterError(f"{self.name} needs a value, not None", self.name, value)
        try:
            result = self._convert(value)
        except ParameterError:
            raise
        except (ValueError, OverflowError, TypeError) as error:
            raise ParameterError(str(error), self.name, value) from None
        if self.choices and result not in self.choices:
            self._refuse_choice(value)
        self._check_range(result, value)
        return result

    def _refuse_choice(self, value: Any) -> None:
        words = [str(choice) for choice in self.choices]
        near = near_matches(str(value), words)
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        raise ParameterError(
            f"{self.name} cannot be {str(value)!r}{meant}; it is one of: {', '.join(words)}",
            self.name,
            value,
        )

    def _check_range(self, result: Any, value: Any) -> None:
        numbers = result if self.type is tuple else (result,)
        for number in numbers:
            if isinstance(number, float) and not math.isfinite(number):
                raise ParameterError(
                    f"{self.name} must be a finite number, not {value!r}", self.name, value
                )
            if isinstance(number, bool) or not isinstance(number, (int, float)):
                continue
            low, high = self.min, self.max
            if low is None and self.is_duration:
                low = 0
            unit = f" {self.unit}" if self.unit else ""
            if low is not None and number < low:
                raise ParameterError(
                    f"{self.name} must be at least {low}{unit}, not {value!r}", self.name, value
                )
            if high is not None and number > high:
                raise ParameterError(
                    f"{self.name} must be at most {high}{unit}, not {value!r}", self.name, value
                )

    @property
    def is_duration(self) -> bool:
        """Whether the value is a length of time, which is never negative unless ``min`` says so."""
        dimension = dimension_of(self.unit) if self.unit else None
        return dimension is not None and dimension.name == "time"

    def _convert(self, value: Any) -> Any:
        if self.type is bool:
            return self._bool(value)
        if self.type is str:
            return self._text(value)
        if self.type is tuple:
            return self._tuple(value)
        if isinstance(value, bool) or not (
            isinstance(value, (int, float, str)) or hasattr(value, "__float__")
        ):
            raise self._wrong_type(value)
        if isinstance(value, str):
            number = parse_quantity(value, self.unit or self.name, self.name)
            if not self.unit and not _is_bare(value):
                raise ParameterError(
                    f"{self.name} is a plain number without a unit, not {value!r}",
                    self.name,
                    value,
                )
        else:
            number = value
        if self.type is float:
            return float(number)
        if not isinstance(number, int):
            if hasattr(number, "__index__"):
                return number.__index__()
            if not float(number).is_integer():
                raise ParameterError(
                    f"{self.name} must be a whole number, not {value!r}", self.name, value
                )
        return int(number)

    def _bool(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in _TRUE | _FALSE:
            return value.lower() in _TRUE
        if isinstance(value, int) and value in (0, 1):
            return bool(value)
        raise ParameterError(f"{self.name} must be true or false, not {value!r}", self.name, value)

    def _text(self, value: Any) -> str:
        if self.unit and dimension_of(self.unit) is not None:
            # Kept as it was written; the check is that it can be read.
            parse_quantity(value if isinstance(value, str) else str(value), self.unit, self.name)
            return str(value)
        if hasattr(value, "__fspath__"):
            return str(value.__fspath__())
        if not isinstance(value, str):
            raise self._wrong_type(value)
        return value

    def _tuple(self, value: Any) -> tuple[float, ...]:
        if self.unit == "m" and isinstance(value, str) and "," not in value:
            return parse_area(value, self.name)
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, Iterable):
            raise self._wrong_type(value)
        result = tuple(float(parse_quantity(part, self.unit or "", self.name)) for part in parts)
        if self.length and len(result) != self.length:
            raise ParameterError(
                f"{self.name} must be {self.length} numbers, not {value!r}", self.name, value
            )
        return result

    def _wrong_type(self, value: Any) -> ParameterError:
        kind = {int: "a whole number", float: "a number", str: "a text", tuple: "a list of numbers"}
        return ParameterError(
            f"{self.name} must be {kind.get(self.type, self.type.__name__)},"
            f" not {type(value).__name__} {value!r}",
            self.name,
            value,
        )

    @property
    def type_text(self) -> str:
        """What kind of value it takes, for help texts."""
        if self.choices:
            return "|".join(str(choice) for choice in self.choices)
        names = {int: "INT", float: "NUMBER", str: "TEXT", bool: "true|false", tuple: "AxB"}
        return names.get(self.type, self.type.__name__.upper())

    @property
    def default_text(self) -> str:
        """The default with its unit, for help texts."""
        if self.default is None:
            return "none"
        if self.type is bool:
            return "true" if self.default else "false"
        if self.type is tuple:
            text = ("x" if self.unit == "m" else ",").join(f"{part:g}" for part in self.default)
        elif self.type is not str and self.unit == "bit/s":
            return format_rate(self.default)
        elif isinstance(self.default, float):
            text = f"{self.default:.12g}"
        else:
            text = str(self.default)
        if self.unit and not (self.type is str and not text[-1:].isdigit()):
            text += f" {self.unit}"
        return text


def _is_bare(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def parameter(
    default: Any,
    *,
    unit: str = "",
    help: str = "",
    choices: Iterable[Any] = (),
    min: float | None = None,
    max: float | None = None,
) -> Any:
    """Declare a parameter of a scenario.

    Parameters
    ----------
    default
        Its value unless another is given; a text with a unit is allowed ("0.512kbps").
    unit
        The unit that values are kept in: numbers count in it, texts with another unit of the same
        kind are converted.
    help
        One line for ``simcore run NAME --help``.
    choices
        The allowed values, if only these are.
    min, max
        The smallest and largest allowed value. Durations are at least 0 unless ``min`` is given.
    """
    metadata = {
        "parameter": {
            "unit": unit,
            "help": help,
            "choices": tuple(choices),
            "min": min,
            "max": max,
        }
    }
    if isinstance(default, list):
        default = tuple(default)
    return dataclasses.field(default=default, metadata=metadata)


def declared(cls: type) -> dict[str, Parameter]:
    """Return the parameters of a dataclass by name, defaults checked.

    Raises
    ------
    TypeError
        If a field's type is none a parameter can have.
    ParameterError
        If a default does not fit its own declaration.
    """
    hints = typing.get_type_hints(cls)
    found: dict[str, Parameter] = {}
    for item in dataclasses.fields(cls):
        if not item.init:
            continue
        kind, optional, choices = _field_type(cls, item.name, hints[item.name])
        facts: Mapping[str, Any] = item.metadata.get("parameter", {})
        declaration = Parameter(
            name=item.name,
            type=kind,
            optional=optional,
            default=None,
            unit=facts.get("unit", ""),
            help=facts.get("help", ""),
            choices=facts.get("choices", ()) or choices,
            min=facts.get("min"),
            max=facts.get("max"),
            length=_length(hints[item.name]),
        )
        if item.default is _MISSING:
            raise TypeError(f"{cls.__name__}.{item.name} needs a default: use parameter(default)")
        default = declaration.check(item.default)
        found[item.name] = dataclasses.replace(declaration, default=default)
    return found


def _field_type(cls: type, name: str, hint: Any) -> tuple[type, bool, tuple[Any, ...]]:
    optional = False
    choices: tuple[Any, ...] = ()
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        rest = [item for item in typing.get_args(hint) if item is not type(None)]
        if len(rest) == 1 and len(typing.get_args(hint)) == 2:
            optional = True
            hint = rest[0]
            origin = typing.get_origin(hint)
    if origin is typing.Literal:
        choices = typing.get_args(hint)
        hint = type(choices[0])
    elif origin is tuple:
        hint = tuple
    if hint not in (bool, int, float, str, tuple):
        raise TypeError(
            f"{cls.__name__}.{name} has the type {hint!r}; a parameter is a bool, int, float, str,"
            " tuple of floats, Literal, or one of these or None"
        )
    return hint, optional, choices


def _length(hint: Any) -> int:
    """Return how many items a tuple type has; 0 if it is none, or one of any length."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is not tuple or Ellipsis in arguments:
        return 0
    return len(arguments)
