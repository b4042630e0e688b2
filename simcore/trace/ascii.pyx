"""Text traces in the manner of ns-3's ``.tr`` files."""

from simcore.trace.file_trace cimport FileTrace, check_source, sources_of, text_of
from simcore.trace.line_batch cimport BATCH_LINES, LineBatch, LinePrefix
from simcore.trace.source cimport TraceSink, TraceSource

EVENT_LETTERS = "+-drt"


cdef class AsciiTrace(FileTrace):
    """A text trace: one line for each packet that is queued, sent, received or dropped.

    Parameters
    ----------
    file : str, os.PathLike or binary file object
        Where to write; a path is created at once.
    line_buffered : bool, optional
        Hand each line to the operating system at once, as ns-3 does, to watch a run with
        ``tail -f``. It costs a system call a line; the default keeps large blocks in memory.
    checksum : str or None, optional
        Algorithm of `digest`: ``"lines"``, over time, source and text of each line, costs next to
        nothing; another name is one of `hashlib`'s, over the bytes. None computes none.

    Raises
    ------
    OSError
        If the file cannot be created.

    Notes
    -----
    A line is ``LETTER TIME PATH TEXT``. The letter is ``+`` (put in a queue), ``-`` (taken from
    it), ``d`` (dropped), ``r`` (received) or ``t`` (transmitted); the path is the source's place
    in ns-3's manner, such as ``/NodeList/0/DeviceList/0/$ns3::WifiNetDevice/Phy/State/Tx``; the
    text is the packet's, headers first. Two departures from ns-3: the time in seconds has nine
    decimals, where ns-3's streams keep six significant digits and so cannot tell 103.0001 s from
    103.0002 s; and the path follows the time on every line, where ns-3 has the Wi-Fi mode of a
    reception before it.

    A device can be attached if it has a simulator (``device.node.sim`` or ``device.sim``) and

    ``ascii_sources() -> iterable of (letter, TraceSource, path)``
        what to write about it. The first argument of each emission must be a str, or have a
        ``text() -> str`` of one line, which should be cached: a broadcast is written once for
        each receiver.
    """

    cdef bint line_buffered

    def __init__(self, file, *, bint line_buffered=False, checksum="lines"):
        self.line_buffered = line_buffered
        self.open(file, checksum)

    def attach(self, *devices):
        """Write about devices, by their ``ascii_sources()``; return the trace.

        Raises
        ------
        TypeError
            If a device has no ``ascii_sources()`` or no simulator.
        ValueError
            If it belongs to another simulator than those attached before.
        """
        for device in devices:
            for letter, source, path in sources_of(device, "ascii_sources"):
                self.attach_source(letter, source, path, owner=device)
        return self

    def attach_source(self, str letter not None, source, str path not None, *, owner=None):
        """Write a line for each emission of one source; return the trace.

        Parameters
        ----------
        letter : str
            One of ``+ - d r t``.
        source : TraceSource
            Its first argument is a str or has ``text()``.
        path : str
            What stands between time and text.
        owner : object, optional
            Gives the clock by its ``sim`` or ``node.sim``, or is a Simulator; the source's owner
            by default.
        """
        if len(letter) != 1 or letter not in EVENT_LETTERS:
            raise ValueError(
                f"letter is {letter!r}: it must be one of {' '.join(EVENT_LETTERS)}"
            )
        checked = check_source(source)
        self.connect(
            checked,
            AsciiLine(self, letter, path),
            checked.owner if owner is None else owner,
        )
        return self


cdef class AsciiLine(TraceSink):
    """Writes the lines of one source."""

    cdef AsciiTrace trace
    cdef LinePrefix prefix

    def __cinit__(self, AsciiTrace trace not None, str letter, str path):
        self.first_only = True
        self.trace = trace
        self.prefix = LinePrefix(letter, path)

    cdef int notify(self, TraceSource source, object a, object b, object c) except -1:
        cdef AsciiTrace trace = self.trace
        cdef LineBatch batch = trace.out.batch
        if batch is None or batch.count == BATCH_LINES:
            batch = trace.out.next_batch()
        batch.add(trace.sim.now_ns, self.prefix, text_of(source, a))
        if trace.line_buffered:
            trace.out.flush()
        return 0
