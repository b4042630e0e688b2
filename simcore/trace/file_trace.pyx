# cython: nonecheck=True
# A subclass in Python that forgets super().__init__() must get an error and no crash.
"""What the traces that write one record per emission share: file, clock, connections."""


cdef class FileTrace:
    """Base of `AsciiTrace`, `PcapTrace` and `TableTrace`.

    Notes
    -----
    A trace belongs to the simulator of the first object that is attached; the end of each run, by
    success, error or Ctrl-C, flushes it.
    """

    def __cinit__(self, *args, **kwargs):
        self.connections = []
        self.closed = True  # until there is something to close

    cdef int open(self, object file, object checksum) except -1:
        self.out = BlockWriter(file, checksum=checksum)
        self.path = self.out.path
        self.closed = False
        return 0

    cdef int connect(self, TraceSource source, TraceSink sink, object owner) except -1:
        cdef Simulator sim = simulator_of(owner)
        if self.closed:
            raise ValueError(f"trace {self.path!r} is closed: nothing can be attached")
        if self.sim is None:
            self.sim = sim
        elif self.sim is not sim:
            raise ValueError(
                f"{owner!r} belongs to another simulator than what trace {self.path!r} "
                "already records: use a file for each"
            )
        sim.add_flusher(self)
        source.connect(sink)
        self.connections.append((source, sink))
        return 0

    cdef int detach(self) except -1:
        """Disconnect from all sources."""
        cdef list connections = self.connections
        self.connections = []
        for source, sink in connections:
            (<TraceSource>source).disconnect(sink)
        if self.sim is not None:
            self.sim.remove_flusher(self)
        return 0

    def flush(self):
        """Return when all records so far have reached the operating system.

        Raises
        ------
        OSError
            If they could not be written; names the path.
        """
        self.out.flush()

    def close(self):
        """Detach from all sources, flush and close the file.

        Raises
        ------
        OSError
            If not everything could be written and no other call has said so yet.
        """
        self.detach()
        self.closed = True
        self.out.close()

    def digest(self):
        """Return the checksum of the file's bytes so far, as ``"sha256:..."``; flushes."""
        return self.out.digest()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __repr__(self):
        return f"<{type(self).__name__} {self.path!r}, {len(self.connections)} sources>"


cdef Simulator simulator_of(object owner):
    """Return the simulator of a model: its ``sim``, or that of its ``node``."""
    if isinstance(owner, Simulator):
        return <Simulator>owner
    for place in (owner, getattr(owner, "node", None)):
        sim = getattr(place, "sim", None)
        if isinstance(sim, Simulator):
            return <Simulator>sim
    raise TypeError(
        f"{owner!r} has no simulator: a trace needs owner.sim or owner.node.sim to read its clock"
    )


cdef object sources_of(object device, str method):
    """Call the method by which a device names its sources."""
    sources = getattr(device, method, None)
    if sources is None:
        raise TypeError(
            f"{device!r} cannot be attached: it has no {method}(), which names its trace sources"
        )
    return sources()


cdef TraceSource check_source(object source):
    if not isinstance(source, TraceSource):
        raise TypeError(f"source is {source!r}: it must be a TraceSource")
    return <TraceSource>source


cdef str text_of(TraceSource source, object emitted):
    """Return what a text trace shows of an emitted object."""
    if isinstance(emitted, Traced):
        return (<Traced>emitted).text()
    if type(emitted) is str:
        return <str>emitted
    try:
        text = emitted.text()
    except AttributeError:
        if hasattr(emitted, "text"):
            raise
        raise TypeError(
            f"trace source {source.name!r} emitted {emitted!r}: "
            "a text trace needs a str or an object with text()"
        ) from None
    if type(text) is not str:
        raise TypeError(f"text() of {emitted!r} is {text!r}: it must be a str")
    return <str>text
