"""Power levels of the managers that choose a power too."""

from __future__ import annotations

import math


def power_levels(start: float | None, end: float | None, levels: int) -> tuple[float | None, ...]:
    """Powers in dBm, weakest first and equally far apart; ``(None,)``: that of the PHY alone.

    Raises
    ------
    ValueError
        One bound alone, bounds in the wrong order, or levels that do not go with them.
    """
    if isinstance(levels, bool) or not isinstance(levels, int) or levels < 1:
        raise ValueError(f"tx_power_levels is {levels!r}: it must be a whole number from 1 on")
    if (start is None) != (end is None):
        raise ValueError("tx_power_start and tx_power_end go together: give both or none")
    if start is None or end is None:
        if levels != 1:
            raise ValueError(
                f"tx_power_levels is {levels}: give tx_power_start and tx_power_end (dBm) too"
            )
        return (None,)
    for name, value in (("tx_power_start", start), ("tx_power_end", end)):
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}: it must be a finite power in dBm")
    if levels == 1:
        if start != end:
            raise ValueError(
                f"tx_power_levels is 1: tx_power_start {start} and tx_power_end {end} must be equal"
            )
        return (float(start),)
    if start >= end:
        raise ValueError(f"tx_power_start is {start} dBm: it must be below tx_power_end, {end}")
    step = (end - start) / (levels - 1)
    return tuple(start + level * step for level in range(levels))
