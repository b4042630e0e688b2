"""The modules ``strategy-choice``, ``cs`` and ``status`` (NFD wiki, pages of those names)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simcore import ms
from simcore.models.ndn.forwarder import StrategyError
from simcore.models.ndn.management.control import (
    ControlParameters,
    ControlResponse,
    number,
    text,
)
from simcore.models.ndn.management.module import Module, Request, ok, refused
from simcore.models.ndn.name import Name
from simcore.models.ndn.tlv import encode_element

if TYPE_CHECKING:
    from simcore.models.ndn.management.manager import Management

__all__ = ["CsModule", "StatusModule", "StrategyChoiceModule", "encode_choice"]

_ENTRY = 128
_STRATEGY = 107

# Bits of the cache's flags.
_ADMIT = 0
_SERVE = 1

#: Packets that one cs/erase removes at most, NFD's ERASE_LIMIT; its answer says so in Capacity.
ERASE_LIMIT = 256


def encode_choice(prefix: Name, strategy: Name) -> bytes:
    """Return the element of a strategy choice."""
    return encode_element(
        _ENTRY, prefix.to_wire() + encode_element(_STRATEGY, strategy.to_wire())
    )


class StrategyChoiceModule(Module):
    """``strategy-choice``: set, unset, list."""

    name = "strategy-choice"

    def __init__(self, management: Management) -> None:
        super().__init__(management)
        self.command("set", self.set, "name strategy")
        self.command("unset", self.unset, "name")
        self.datasets["list"] = self.list

    def set(self, request: Request) -> ControlResponse:
        """Choose a strategy for a prefix."""
        given = request.parameters
        assert given.name is not None
        assert given.strategy is not None
        try:
            chosen = self.forwarder.strategy_choice.set(given.name, given.strategy)
        except StrategyError as error:
            return refused(error.code, str(error), given)
        return ok(given.replaced(strategy=chosen.instance_name))

    def unset(self, request: Request) -> ControlResponse:
        """Let a prefix have the strategy of a shorter one; ``/`` must keep its own."""
        given = request.parameters
        assert given.name is not None
        if len(given.name) == 0:
            return refused(400, "Malformed command: / must have a strategy", given)
        self.forwarder.strategy_choice.unset(given.name)
        return ok(given)

    def list(self, request: Request) -> Iterator[bytes]:
        """Return all choices."""
        choices = sorted(self.forwarder.strategy_choice, key=lambda choice: choice[0])
        for prefix, strategy in choices:
            yield encode_choice(prefix, strategy.instance_name)


class CsModule(Module):
    """``cs``: config, erase, info."""

    name = "cs"

    def __init__(self, management: Management) -> None:
        super().__init__(management)
        self.command("config", self.config, "", "capacity flags mask")
        self.command("erase", self.erase, "name", "count")
        self.datasets["info"] = self.info

    def _flags(self) -> int:
        cs = self.forwarder.cs
        return (1 << _ADMIT if cs.admits else 0) | (1 << _SERVE if cs.serves else 0)

    def config(self, request: Request) -> ControlResponse:
        """Set the cache's size, and whether it admits and serves."""
        given = request.parameters
        cs = self.forwarder.cs
        if given.capacity is not None:
            if given.capacity >= 1 << 31:
                return refused(409, f"capacity is {given.capacity}: it must be below 2**31", given)
            cs.resize(given.capacity)
        admit, serve = given.flag(_ADMIT), given.flag(_SERVE)
        if admit is not None:
            cs.admits = admit
        if serve is not None:
            cs.serves = serve
        return ok(ControlParameters(capacity=cs.capacity, flags=self._flags()))

    def erase(self, request: Request) -> ControlResponse:
        """Remove cached packets below a prefix, at most 256 at a time."""
        given = request.parameters
        assert given.name is not None
        wanted = ERASE_LIMIT if given.count is None else min(given.count, ERASE_LIMIT)
        erased = self.forwarder.cs.erase(given.name, wanted)
        body = ControlParameters(name=given.name, count=erased)
        asked_for_more = given.count is None or given.count > ERASE_LIMIT
        if erased == ERASE_LIMIT and asked_for_more and self._has_any(given.name):
            body.capacity = ERASE_LIMIT
        return ok(body)

    def _has_any(self, prefix: Name) -> bool:
        return any(prefix.is_prefix_of(data.name) for data in self.forwarder.cs)

    def info(self, request: Request) -> Iterator[bytes]:
        """Return size, flags and hits."""
        cs, counters = self.forwarder.cs, self.forwarder.counters
        body = number(131, cs.capacity) + number(108, self._flags()) + number(135, len(cs))
        body += number(129, counters.cs_hits) + number(130, counters.cs_misses)
        yield encode_element(_ENTRY, body)


class StatusModule(Module):
    """``status``: general."""

    name = "status"

    def __init__(self, management: Management) -> None:
        super().__init__(management)
        self._start = self.forwarder.sim.now()
        self.datasets["general"] = self.general

    def general(self, request: Request) -> Iterator[bytes]:
        """Return sizes of tables and counts of packets; time stamps are simulated ones."""
        forwarder, counters = self.forwarder, self.forwarder.counters
        yield text(128, self.management.version)
        for kind, value in (
            (129, self._start // ms(1)),
            (130, forwarder.sim.now() // ms(1)),
            # The tables need no name tree: entries with a name of their own are counted.
            (131, len(forwarder.fib) + len(forwarder.pit)),
            (132, len(forwarder.fib)),
            (133, len(forwarder.pit)),
            (134, len(forwarder.measurements)),
            (135, len(forwarder.cs)),
            (144, counters.in_interests),
            (145, counters.in_data),
            (151, counters.in_nacks),
            (146, counters.out_interests),
            (147, counters.out_data),
            (152, counters.out_nacks),
            (153, counters.satisfied),
            (154, counters.unsatisfied),
        ):
            yield number(kind, value)
