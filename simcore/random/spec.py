"""Distributions by name: ``"exponential(mean=1.5)"`` or ns-3's attribute syntax."""

from __future__ import annotations

import ast
import math
import warnings
from typing import Any

from simcore.random.continuous import (
    Erlang,
    Exponential,
    Gamma,
    Laplacian,
    LargestExtremeValue,
    LogNormal,
    Normal,
    Pareto,
    Triangular,
    Uniform,
    Weibull,
)
from simcore.random.discrete import Bernoulli, Binomial, UniformInteger, Zeta, Zipf
from simcore.random.distribution import Distribution
from simcore.random.prescribed import Constant, Deterministic, Empirical, Sequential
from simcore.random.stream import RandomStream

DISTRIBUTIONS: dict[str, type[Distribution]] = {
    "bernoulli": Bernoulli,
    "binomial": Binomial,
    "constant": Constant,
    "deterministic": Deterministic,
    "empirical": Empirical,
    "erlang": Erlang,
    "exponential": Exponential,
    "gamma": Gamma,
    "integer": UniformInteger,
    "laplacian": Laplacian,
    "largestextremevalue": LargestExtremeValue,
    "lognormal": LogNormal,
    "normal": Normal,
    "pareto": Pareto,
    "sequential": Sequential,
    "triangular": Triangular,
    "uniform": Uniform,
    "uniforminteger": UniformInteger,
    "weibull": Weibull,
    "zeta": Zeta,
    "zipf": Zipf,
}
"""Distributions by the name that a specification uses: lower case, without underscores."""

MAX_LENGTH = 1 << 16
"""Longest specification accepted, in characters."""

NS3_SUFFIX = "RandomVariable"
# ns-3 attributes whose lower-case name is not our parameter's.
NS3_ATTRIBUTES = {("Constant", "Constant"): "value", ("Erlang", "Lambda"): "scale"}


def parse_distribution(text: str, stream: RandomStream | None = None) -> Distribution:
    """Return the distribution that a text describes.

    Parameters
    ----------
    text : str
        One of

        - a name with parameters by name or position, as `repr` of a distribution prints it:
          ``exponential(mean=1.5)``, ``normal(10, std=2)``, ``empirical([(1, 0.5), (2, 1)])``;
          case and underscores do not matter, and parentheses without content may be left out;
        - a number, which stands for a constant;
        - ns-3's form, ``ns3::ExponentialRandomVariable[Mean=1.5|Bound=4]``.
    stream : RandomStream, optional
        Stream to draw from.

    Raises
    ------
    ValueError
        If the text is malformed, names no distribution or parameter, or a parameter is wrong.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"distribution has {len(text)} characters; at most {MAX_LENGTH} allowed")
    stripped = text.strip()
    if stripped.startswith("ns3::") or stripped.partition("[")[0].endswith(NS3_SUFFIX):
        found = _parse_ns3(stripped)
    else:
        found = _parse_expression(stripped)
    return found if stream is None else found.bind(stream)


def _parse_expression(text: str) -> Distribution:
    try:
        with warnings.catch_warnings():
            # The compiler warns of text such as "0or 1", which is no specification either.
            warnings.simplefilter("error")
            node = ast.parse(text, mode="eval").body
        value = _evaluate(node)
    except (SyntaxError, RecursionError, MemoryError, Warning):
        raise _malformed(text) from None
    if isinstance(value, Distribution):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Constant(value)
    raise _malformed(text)


def _malformed(text: str) -> ValueError:
    shown = text if len(text) <= 80 else text[:77] + "..."
    return ValueError(
        f"distribution is {shown!r}; it must be a name with parameters, such as "
        "'exponential(mean=1.5)', or a number"
    )


def _evaluate(node: ast.expr) -> Any:
    """Return the value of a literal, of ``inf``, or of a distribution; nothing else is run."""
    match node:
        case ast.Name(id="inf"):
            return math.inf
        case ast.Name(id=name):
            return _make(name, [], {})
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            named = {word.arg: _evaluate(word.value) for word in keywords if word.arg is not None}
            if len(named) != len(keywords):
                raise SyntaxError("** is not a parameter")
            return _make(name, [_evaluate(argument) for argument in arguments], named)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_evaluate(item) for item in items]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _evaluate(operand)
            if isinstance(value, (int, float)):
                return -value
        case ast.Constant(value=bool() | int() | float() as literal):
            return literal
    raise SyntaxError("not a literal")


def _make(name: str, arguments: list[Any], named: dict[str, Any]) -> Distribution:
    cls = DISTRIBUTIONS.get(name.replace("_", "").lower())
    if cls is None:
        raise ValueError(f"distribution is {name!r}; it must be one of {', '.join(DISTRIBUTIONS)}")
    if "stream" in named:
        raise ValueError(f"{name}: stream cannot be given in text")
    try:
        return cls(*arguments, **named)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name}: {error}") from None


def _parse_ns3(text: str, depth: int = 0) -> Distribution:
    head, bracket, rest = text.removeprefix("ns3::").partition("[")
    kind = head.removesuffix(NS3_SUFFIX)
    if depth > 16 or kind == head or (bracket and not rest.endswith("]")):
        raise ValueError(
            f"distribution is {text!r}; it must look like "
            "'ns3::ExponentialRandomVariable[Mean=1.5|Bound=4]'"
        )
    named: dict[str, Any] = {}
    for attribute in _split_attributes(rest[:-1]):
        key, equals, value = attribute.partition("=")
        if not equals:
            raise ValueError(f"{head}: attribute is {attribute!r}; it must be Name=value")
        parameter = NS3_ATTRIBUTES.get((kind, key), key.lower())
        named[parameter] = _ns3_value(head, key, value, depth)
    return _make(kind, [], named)


def _ns3_value(head: str, key: str, value: str, depth: int) -> Any:
    if NS3_SUFFIX in value:
        return _parse_ns3(value, depth + 1)
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for convert in (int, float):
        try:
            return convert(value)
        except ValueError:
            continue
    raise ValueError(f"{head}: {key} is {value!r}; it must be a number")


def _split_attributes(text: str) -> list[str]:
    """Split at ``|``, except inside the brackets of a nested variable."""
    parts, start, depth = [], 0, 0
    for index, character in enumerate(text):
        if character == "[":
            depth += 1
        elif character == "]":
            depth -= 1
        elif character == "|" and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [part for part in parts if part]
