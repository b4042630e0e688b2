# cython: nonecheck=True
# A subclass that forgets super().__init__() must get an error.
"""What the traces that write one record per emission share: file, clock, connections."""


cdef class FileTrace:
    """Base of `AsciiTrace` and `PcapTrace`.

    Notes
    -----
    A trace belongs to the simulator of the first object that is attached; the end of each run, by
    success, error or Ctrl-C, flushes it.
    """

    cdef int open(self, object file, object checksum) except -1:
        self.connections = []
        self.out = BlockWriter(file, checksum=checksum)
        return 0

    cdef int connect(self, TraceSource source, TraceSink sink, object owner) except -1:
        cdef Simulator sim = simulator_of(owner)
        if self.out.closed:
            raise ValueError(f"trace {self.out.path!r} is closed: nothing can be attached")
        if self.sim is None:
            self.sim = sim
        elif self.sim is not sim:
            raise ValueError(
                f"{owner!r} belongs to another simulator than what trace {self.out.path!r} "
                "already records: use a file for each"
            )
        sim.add_flusher(self)
        source.connect(sink)
        self.connections.append((source, sink))
        return 0

    @property
    def path(self):
        """The path of the file."""
        return self.out.path

    @property
    def closed(self):
        """Whether `close` was called."""
        return self.out.closed

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
        cdef list connections = self.connections
        self.connections = []
        for source, sink in connections:
            (<TraceSource>source).disconnect(sink)
        if self.sim is not None:
            self.sim.remove_flusher(self)
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
