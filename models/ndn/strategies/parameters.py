"""Parameters in the names of strategy instances (``/name~value``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simcore import ms
from simcore.models.ndn.retx_suppression import RetxSuppression

if TYPE_CHECKING:
    from simcore.models.ndn.forwarder import Strategy


def number(parameters: dict[str, str], key: str, default: int) -> int:
    """Take a whole number out of the parameters.

    Raises
    ------
    ValueError
        When it is no whole number.
    """
    text = parameters.pop(key, None)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ValueError(f"{key} is {text!r}: it must be a whole number")
    return int(text)


def take_suppression(parameters: dict[str, str]) -> RetxSuppression:
    """Take ``retx-suppression-initial``, ``-max`` (ms) and ``-multiplier`` out of the parameters.

    Raises
    ------
    ValueError
        When a value is out of range.
    """
    initial = number(parameters, "retx-suppression-initial", 10)
    longest = number(parameters, "retx-suppression-max", 250)
    text = parameters.pop("retx-suppression-multiplier", "2")
    try:
        multiplier = float(text)
    except ValueError:
        raise ValueError(
            f"retx-suppression-multiplier is {text!r}: it must be a number"
        ) from None
    return RetxSuppression(ms(initial), ms(longest), multiplier)


def suppression_from(strategy: Strategy, parameters: dict[str, str]) -> RetxSuppression:
    """Retransmission suppression of a strategy that has no other parameters.

    Raises
    ------
    ValueError
        When a parameter is unknown or out of range.
    """
    from simcore.models.ndn.forwarder import refuse_parameters

    rest = dict(parameters)
    suppression = take_suppression(rest)
    refuse_parameters(strategy, rest)
    return suppression
