"""RandomManager: hands out the random streams of one simulation."""

from __future__ import annotations

from hashlib import blake2b

from simcore.random.checks import integer_between
from simcore.random.stream import MAX_RUN, MAX_SEED, RandomStream

EXPLICIT_BASE = 1 << 63
"""Explicit stream n has number 2^63 + n, as ns-3's ``SetStream(n)``."""

MAX_EXPLICIT = EXPLICIT_BASE - 1
"""Largest n of an explicit stream."""

NAMED_BASE = 1 << 62
"""Streams with a name have numbers from 2^62 to 2^63 - 1; automatic ones stay below."""


class RandomManager:
    """The streams of one simulation: explicit, named, or counted automatically.

    Explicit and named streams are stable: what they deliver depends only on seed, run and their
    number or name, never on what else the simulation holds or in which order it was built.
    Automatic streams depend on the order of allocation, as in ns-3.

    Parameters
    ----------
    seed : int
        Seed of the family of streams, from 1 to 4,294,944,442.
    run : int
        Substream used in all streams, from 0 to 2^51 - 1. Repetitions of an experiment differ
        in `run`: runs of one seed cannot overlap.
    antithetic : bool
        Draw from 1 - u in all streams.

    Raises
    ------
    TypeError
        If seed or run is not an integer.
    ValueError
        If seed or run is out of range.
    """

    def __init__(self, seed: int = 1, run: int = 1, *, antithetic: bool = False) -> None:
        self._seed = integer_between("seed", seed, 1, MAX_SEED)
        self._run = integer_between("run", run, 0, MAX_RUN)
        self._antithetic = bool(antithetic)
        self._streams: dict[int, RandomStream] = {}
        self._allocated = 0

    @property
    def seed(self) -> int:
        """Seed of the family of streams."""
        return self._seed

    @property
    def run(self) -> int:
        """Substream used in all streams."""
        return self._run

    @property
    def antithetic(self) -> bool:
        """Whether all streams draw from 1 - u."""
        return self._antithetic

    @property
    def allocated(self) -> int:
        """How many automatic streams were handed out; also the number of the next one."""
        return self._allocated

    def stream(self, key: int | str) -> RandomStream:
        """Return the explicit stream of a number, or the stream of a name.

        The same key gives the same object, which goes on where it stood: two users of one key
        share one sequence instead of drawing the same values twice. For the sequence from its
        start, see `RandomStream.reset`.

        Parameters
        ----------
        key : int or str
            Number from 0 to 2^63 - 1, or a name such as ``"node3/mac"``. Names are hashed
            (BLAKE2b) to one of 2^62 numbers set aside for them.

        Raises
        ------
        TypeError
            If `key` is neither an integer nor a string.
        ValueError
            If the number is out of range or the name empty.
        """
        number = named_number(key) if isinstance(key, str) else explicit_number(key)
        found = self._streams.get(number)
        if found is None:
            found = self._new(number)
            self._streams[number] = found
        return found

    def allocate(self) -> RandomStream:
        """Return a stream that nobody else has; the first has number 0, the next 1, and so on."""
        number = self._allocated
        self._allocated += 1
        return self._new(number)

    def _new(self, number: int) -> RandomStream:
        return RandomStream(self._seed, number, self._run, antithetic=self._antithetic)

    def __repr__(self) -> str:
        extra = ", antithetic=True" if self._antithetic else ""
        return f"RandomManager(seed={self._seed}, run={self._run}{extra})"


def explicit_number(n: int) -> int:
    """Return the number of explicit stream `n`."""
    return EXPLICIT_BASE + integer_between("stream", n, 0, MAX_EXPLICIT)


def named_number(name: str) -> int:
    """Return the number of the stream called `name`; the same on every machine."""
    if not name:
        raise ValueError("stream is ''; it must be an integer or a name that is not empty")
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return NAMED_BASE | (int.from_bytes(digest, "big") & (NAMED_BASE - 1))
