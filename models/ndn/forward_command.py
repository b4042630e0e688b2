"""``simcore bridge ndn-forward``: the simulator's forwarder as a plain one, for real programs."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from simcore import Simulator, seconds
from simcore.bridge import AddressError
from simcore.cli.errors import DONE, Parser, UsageError, say
from simcore.models.ndn.forwarder import Forwarder, StrategyError
from simcore.models.ndn.live import LiveListener, listen
from simcore.models.ndn.management import ControlParameters, FaceError
from simcore.units import parse_time

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    sim = Simulator(seed=options.seed, realtime=True)
    end = _time(options.duration, "for")
    try:
        forwarder = Forwarder(sim, cs_capacity=options.cs_capacity, strategy=options.strategy)
    except StrategyError as error:
        raise UsageError(f"option --strategy: {error}") from None
    except (ValueError, OverflowError) as error:
        raise UsageError(f"option --cs-capacity: {error}") from None
    listeners: list[LiveListener] = []
    try:
        try:
            for address in options.listen or [_default_address()]:
                listeners.append(
                    listen(
                        forwarder, address, insecure=options.insecure, localhop=options.insecure
                    )
                )
                say(f"listening: NDN_CLIENT_TRANSPORT={listeners[-1].address}")
        except AddressError as error:
            raise UsageError(f"option --listen: {error}") from None
        for route in options.route:
            _add_route(forwarder, listeners[0], route)
        if options.stats is not None:
            interval = _time(options.stats, "stats")
            if not interval:
                raise UsageError("option --stats: must be positive")
            sim.schedule(interval, _tell, forwarder, listeners, interval, 0)
        sim.run(until=end)
    finally:
        report = _report(forwarder, listeners)
        for listener in listeners:
            listener.close()
        if options.json and sim.event_count:
            json.dump(report, sys.stdout)
            sys.stdout.write("\n")
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="simcore bridge ndn-forward",
        description="Forward for NDN programs of this machine as NFD would, until Ctrl-C.",
        epilog="Programs find it by NDN_CLIENT_TRANSPORT, such as unix:///tmp/n.sock.",
    )
    parser.add_argument(
        "--listen",
        metavar="ADDRESS",
        action="append",
        help="unix:///path or tcp4://127.0.0.1:6363, may be repeated"
        f" [{_default_address()}]".replace("%", "%%"),
    )
    parser.add_argument(
        "--route",
        metavar="PREFIX=ADDRESS",
        action="append",
        default=[],
        help="connect to another forwarder, tcp4://127.0.0.1:6364, and route a prefix to it",
    )
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="allow addresses of other machines; there is no authentication",
    )
    parser.add_argument(
        "--cs-capacity", metavar="N", type=int, default=65536, help="packets cached [65536]"
    )
    parser.add_argument(
        "--strategy", metavar="NAME", default="best-route", help="for / [best-route]"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of the nonces [1]")
    parser.add_argument("--for", metavar="TIME", dest="duration", help="end after this time")
    parser.add_argument(
        "--stats", metavar="TIME", help="tell the rate of Interests at this interval"
    )
    parser.add_argument("--json", action="store_true", help="print the counters at the end")
    return parser


def _default_address() -> str:
    folder = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    return f"unix://{folder}/simcore-ndn-{os.getuid()}.sock"


def _time(text: str | None, option: str) -> int | None:
    if text is None:
        return None
    try:
        value = parse_time(text, "s", option)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"option --{option}: {error}") from None
    if value < 0:
        raise UsageError(f"option --{option}: must not be negative: {text!r}")
    return value


def _add_route(forwarder: Forwarder, listener: LiveListener, text: str) -> None:
    prefix, found, uri = text.partition("=")
    scheme = uri.partition("://")[0]
    factory = listener.management.faces.factories.get(scheme)
    if not found or not prefix.startswith("/") or factory is None:
        raise UsageError(
            f"option --route: {text!r} must be PREFIX=ADDRESS, such as"
            " /news=tcp4://127.0.0.1:6364"
        )
    for face in forwarder.faces.values():
        if getattr(face, "remote_uri", None) == uri:
            break
    else:
        try:
            face = factory(ControlParameters(uri=uri))
        except FaceError as error:
            raise UsageError(f"option --route: {text!r}: {error}") from None
    try:
        listener.management.rib.register(prefix, face, origin=255)
    except ValueError as error:
        raise UsageError(f"option --route: {text!r}: {error}") from None


def _tell(
    forwarder: Forwarder, listeners: list[LiveListener], interval: int, before: int
) -> None:
    now = forwarder.counters.in_interests
    rate = (now - before) / (interval / seconds(1))
    faces = sum(len(listener.faces) for listener in listeners)
    say(f"{rate:,.0f} Interests/s, {faces} programs, {len(forwarder.pit):,} pending")
    forwarder.sim.schedule(interval, _tell, forwarder, listeners, interval, now)


def _report(forwarder: Forwarder, listeners: list[LiveListener]) -> dict[str, Any]:
    clock = forwarder.sim.pacer
    return {
        **forwarder.counters.as_dict(),
        "programs": sum(listener.accepted for listener in listeners),
        "framing_lost": sum(listener.framing_lost for listener in listeners),
        **(clock.report() if clock is not None and hasattr(clock, "report") else {}),
    }
