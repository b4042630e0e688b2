"""Movement files of ns-2, as setdest, BonnMotion and SUMO write them.

Grammar: "The ns Manual", chapter "Mobile Networking in ns", section on node movement.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from simcore.models.mobility.mobility import MobilityModel
from simcore.models.mobility.trajectory import Trajectory

MAX_TIME = 2**63 - 1
NS_PER_S = 1_000_000_000
LARGEST = 1e15
"""Largest coordinate (m) and speed (m/s) accepted: arithmetic on them stays finite."""

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_WORD = r"\S+"
_AT = re.compile(rf'\$\w+\s+at\s+({_WORD})\s+"([^"]*)"\s*;?')
_NODE = re.compile(r"\$\w+\(\s*(\w+)\s*\)\s+(\w+)\s*(.*)")
_SET = re.compile(rf"([XYZ])_\s+({_WORD})")
_SETDEST = re.compile(rf"({_WORD})\s+({_WORD})\s+({_WORD})")
_FINITE = re.compile(_NUMBER)
# Hop distances that setdest computes for ns-2, and variables that BonnMotion and scripts set.
_NO_MOVEMENT = re.compile(r"\$god_?\s|set\s+\w+(\([^)]*\))?\s+\S")

EXPECTED = (
    "expected '$node_(0) set X_ 1.0', '$ns_ at 1.5 \"$node_(0) setdest 10.0 20.0 3.0\"' "
    "or '$ns_ at 1.5 \"$node_(0) set X_ 1.0\"'"
)

Vector = tuple[float, float, float]
Leg = tuple[int, Vector, Vector]


class MovementFileError(ValueError):
    """A movement file that cannot be read.

    Attributes
    ----------
    path : str
        The file.
    line : int or None
        Number of the offending line, from 1; None when the file as a whole cannot be read.
    """

    def __init__(self, path: str, line: int | None, reason: str) -> None:
        place = path if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {reason}")
        self.path = path
        self.line = line


class Command(NamedTuple):
    """One scheduled statement.

    Attributes
    ----------
    time : int
        ns.
    axis : int
        0, 1, 2 of ``set X_`` and its like, or -1 for ``setdest``.
    x, y : float
        Destination; for ``set``, `x` is the value (m).
    speed : float
        m/s.
    """

    time: int
    axis: int
    x: float
    y: float
    speed: float


@dataclass(slots=True)
class NodeMovement:
    """What a file says about one node.

    Attributes
    ----------
    start : list of float
        x, y, z at time 0 (m); 0 where the file is silent, as in ns-2.
    commands : list of Command
        In the order of the file.
    """

    start: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    commands: list[Command] = field(default_factory=list)

    def legs(self) -> list[Leg]:
        """Return the straight legs of the whole movement, by time.

        A ``setdest`` before the arrival at an earlier destination starts where the node is then; a
        speed of 0 stops it; a scheduled ``set`` puts it elsewhere, standing.
        """
        at = (self.start[0], self.start[1], self.start[2])
        legs: list[Leg] = [(0, at, (0.0, 0.0, 0.0))]
        arrival = -1
        target = at
        # The sort is stable: statements of one time keep the order of the file.
        for command in sorted(self.commands, key=lambda command: command.time):
            if 0 <= arrival <= command.time:
                legs.append((arrival, target, (0.0, 0.0, 0.0)))
                arrival = -1
            at = position_on(legs[-1], command.time)
            if command.axis >= 0:
                moved = list(at)
                moved[command.axis] = command.x
                legs.append((command.time, (moved[0], moved[1], moved[2]), (0.0, 0.0, 0.0)))
                arrival = -1
                continue
            velocity, arrival = course_to(at, command)
            target = (command.x, command.y, at[2])
            legs.append((command.time, at, velocity))
        if arrival >= 0:
            legs.append((arrival, target, (0.0, 0.0, 0.0)))
        return legs


def position_on(leg: Leg, time: int) -> Vector:
    """Return where a node on a leg is at a time (ns)."""
    start, (x, y, z), (vx, vy, vz) = leg
    elapsed = (time - start) / 1e9
    return x + vx * elapsed, y + vy * elapsed, z + vz * elapsed


def course_to(at: Vector, command: Command) -> tuple[Vector, int]:
    """Return the velocity towards a destination and the time of arrival (ns; -1 for never)."""
    dx = command.x - at[0]
    dy = command.y - at[1]
    distance = math.hypot(dx, dy)
    if distance == 0.0 or command.speed == 0.0:
        return (0.0, 0.0, 0.0), -1
    arrival = command.time + distance / command.speed * 1e9
    velocity = (dx / distance * command.speed, dy / distance * command.speed, 0.0)
    return velocity, round(arrival) if arrival < MAX_TIME else -1


class Ns2Movement:
    """The movement of nodes in an ns-2 movement file.

    Read are ``$node_(I) set X_ V`` (also Y_, Z_), ``$ns_ at T "$node_(I) setdest X Y SPEED"`` and
    ``$ns_ at T "$node_(I) set X_ V"`` in any order, with m, m/s and s. Comments, variables
    (``set val(x) 300``) and hop distances (``$god_``) are skipped.

    Parameters
    ----------
    path : str or Path
        The file, in UTF-8.

    Raises
    ------
    MovementFileError
        If the file cannot be opened, is not text, or has a line that is none of the above; the
        message names the file and the line and says what would be right.

    Attributes
    ----------
    path : str
        The file.
    movements : dict of int to NodeMovement
        By number of the node, ascending.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        try:
            data = Path(path).read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise MovementFileError(self.path, None, f"cannot be read: {reason}") from error
        self.movements = parse(data, self.path)

    @classmethod
    def from_text(cls, text: str, name: str = "<text>") -> Ns2Movement:
        """Return the movement that a text describes; `name` stands for the file in messages."""
        made = cls.__new__(cls)
        made.path = name
        made.movements = parse(text.encode("utf-8", "surrogatepass"), name)
        return made

    @property
    def last_time(self) -> int:
        """Time of the last statement (ns)."""
        return max(
            (command.time for node in self.movements.values() for command in node.commands),
            default=0,
        )

    def install(self, nodes: Sequence[Any], *, ignore_extra: bool = False) -> list[MobilityModel]:
        """Give the nodes their movement: ``nodes[I]`` that of ``$node_(I)``.

        Parameters
        ----------
        nodes : sequence of Node
        ignore_extra : bool
            Skip nodes of the file for which there is none in `nodes`.

        Returns
        -------
        list of MobilityModel
            By node.

        Raises
        ------
        ValueError
            If the file has nodes beyond those given and they are not to be ignored, or a node has
            no movement in the file and no mobility from elsewhere.
        """
        extra = [number for number in self.movements if number >= len(nodes)]
        if extra and not ignore_extra:
            raise ValueError(
                f"{self.path} moves {listed(extra)}, but there are only {len(nodes)} nodes "
                f"(0 to {len(nodes) - 1}): give more nodes, or ignore_extra=True"
                if nodes
                else f"{self.path} moves {listed(extra)}, but there are no nodes: give some, or "
                "ignore_extra=True"
            )
        silent = [
            index
            for index, node in enumerate(nodes)
            if index not in self.movements and node.mobility is None
        ]
        if silent:
            raise ValueError(
                f"{self.path} says nothing about {listed(silent)}: give them a mobility first, or "
                "fewer nodes"
            )
        for index, node in enumerate(nodes):
            if index in self.movements:
                node.mobility = Trajectory(node, self.movements[index].legs())
        return [node.mobility for node in nodes]


def listed(numbers: Sequence[int]) -> str:
    """Return "node 7" or "nodes 7, 8, 9 and 5 more"."""
    shown = ", ".join(str(number) for number in numbers[:10])
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"node{'s' if len(numbers) > 1 else ''} {shown}{more}"


def parse(data: bytes, path: str) -> dict[int, NodeMovement]:
    """Return the movements in the bytes of a file.

    Raises
    ------
    MovementFileError
        As `Ns2Movement`.
    """
    nodes: dict[int, NodeMovement] = {}
    for line, text in lines_of(data, path):
        try:
            parse_line(text, nodes)
        except ValueError as error:
            raise MovementFileError(path, line, str(error)) from None
    return dict(sorted(nodes.items()))


def lines_of(data: bytes, path: str) -> Iterator[tuple[int, str]]:
    """Yield (number, text) of the lines that are neither empty nor comments."""
    for line, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            text = raw.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise MovementFileError(
                path,
                line,
                f"byte {raw[error.start]:#04x} is not UTF-8: a movement file is plain text",
            ) from None
        if text and not text.startswith("#"):
            yield line, text


def parse_line(text: str, nodes: dict[int, NodeMovement]) -> None:
    """Add what one line says; raise ValueError with the reason when it says nothing sensible."""
    scheduled = _AT.fullmatch(text)
    time = 0
    statement = text.rstrip("; \t")
    if scheduled:
        time = nanoseconds(scheduled[1], text)
        statement = scheduled[2].strip()
    if _NO_MOVEMENT.match(statement):
        return
    parts = _NODE.fullmatch(statement)
    if not parts:
        raise ValueError(f"{shown(text)} is no movement: {EXPECTED}")
    if not (parts[1].isascii() and parts[1].isdecimal()) or len(parts[1]) > 9:
        raise ValueError(
            f"node {parts[1]!r} in {shown(text)}: it must be a whole number, as in $node_(0)"
        )
    number = int(parts[1])
    if parts[2] == "set":
        setting = _SET.fullmatch(parts[3].strip())
        if not setting:
            raise ValueError(f"{shown(text)} sets no X_, Y_ or Z_: {EXPECTED}")
        axis = "XYZ".index(setting[1])
        value = finite(setting[2], f"{setting[1]}_", text)
        node = nodes.setdefault(number, NodeMovement())
        if scheduled:
            node.commands.append(Command(time, axis, value, 0.0, 0.0))
        else:
            node.start[axis] = value
    elif parts[2] == "setdest" and scheduled:
        target = _SETDEST.fullmatch(parts[3].strip())
        if not target:
            raise ValueError(f"setdest in {shown(text)} needs x, y and speed: {EXPECTED}")
        x = finite(target[1], "x", text)
        y = finite(target[2], "y", text)
        speed = finite(target[3], "speed", text)
        if speed < 0.0:
            raise ValueError(f"speed is {target[3]} in {shown(text)}: it must be 0 or more (m/s)")
        nodes.setdefault(number, NodeMovement()).commands.append(Command(time, -1, x, y, speed))
    else:
        raise ValueError(f"{shown(text)} is no movement: {EXPECTED}")


def shown(text: str) -> str:
    """Return a text quoted for a message, shortened if it is long."""
    return repr(text if len(text) <= 100 else text[:97] + "...")


def finite(word: str, name: str, text: str) -> float:
    """Return the number that a word is; names of numbers, such as nan, are none."""
    value = float(word) if _FINITE.fullmatch(word) else math.nan
    if not math.isfinite(value):
        raise ValueError(f"{name} is {word!r} in {shown(text)}: it must be a number such as 12.5")
    if abs(value) > LARGEST:
        raise ValueError(f"{name} is {word} in {shown(text)}: it must not exceed {LARGEST:g}")
    return value


def nanoseconds(word: str, text: str) -> int:
    """Return the time that a word gives in seconds."""
    seconds = finite(word, "time", text)
    if not 0.0 <= seconds * NS_PER_S < MAX_TIME:
        raise ValueError(
            f"time is {word} in {shown(text)}: it must be from 0 to {MAX_TIME // NS_PER_S} s"
        )
    return round(seconds * NS_PER_S)
