"""Trace sources: named points of a model where listeners attach."""


cdef class TraceSink:
    """A compiled listener; trace writers subclass it and override `notify` in C.

    Notes
    -----
    `notify(source, a, b, c)` gets the arguments of the emission, ``None`` for those that the
    source does not give. What it raises stops the run, like an error in a handler.
    """

    cdef int notify(self, TraceSource source, object a, object b, object c) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override notify()")


cdef class Traced:
    """Base of compiled objects that text traces show: asking for their text costs little."""

    cpdef str text(self):
        """One line; it should be cached."""
        raise NotImplementedError(f"{type(self).__name__} does not override text()")


cdef class TraceSource:
    """A point of a model where listeners attach.

    Parameters
    ----------
    owner : object
        The model that emits.
    name : str
        Name of the source in its `TraceSet`.
    doc : str, optional
        Meaning of the arguments, with units.

    Attributes
    ----------
    active : bool
        Whether someone listens. Models test it before they spend anything on the trace.
    details : bool
        Whether someone listens to more than the first argument; otherwise a model may leave the
        others out.

    Notes
    -----
    An emission calls the compiled sinks in the order of connection, then the Python callables
    in theirs. A listener that raises ends the emission and stops the run. Listeners may connect
    and disconnect during an emission; the change takes effect from the next one.
    """

    def __cinit__(self, owner, str name not None, str doc not None="", *args, **kwargs):
        self.owner = owner
        self.name = name
        self.doc = doc
        self.callbacks = []
        self.sinks = []
        self.active = False

    def connect(self, listener):
        """Have a listener called at each emission.

        Parameters
        ----------
        listener : callable or TraceSink
            A callable gets the arguments that `doc` describes. Connecting it twice has it
            called twice.

        Returns
        -------
        callable or TraceSink
            The listener, so that `connect` serves as a decorator.

        Raises
        ------
        TypeError
            If the listener is neither callable nor a `TraceSink`.
        """
        # The lists are replaced and never changed, so that an emission under way keeps its own.
        if isinstance(listener, TraceSink):
            self.sinks = [*self.sinks, listener]
        elif callable(listener):
            self.callbacks = [*self.callbacks, listener]
        else:
            raise TypeError(
                f"listener of trace source {self.name!r} is {listener!r}: "
                "it must be callable or a TraceSink"
            )
        self.look_at_listeners()
        return listener

    def disconnect(self, listener):
        """Forget a listener; of one that was connected more than once, the oldest connection.

        Raises
        ------
        ValueError
            If it is not connected.
        """
        cdef list remaining
        if isinstance(listener, TraceSink):
            remaining = list(self.sinks)
            for place, known in enumerate(remaining):
                if known is listener:
                    del remaining[place]
                    break
            else:
                raise self._not_connected(listener)
            self.sinks = remaining
        else:
            remaining = list(self.callbacks)
            try:
                # By equality: each look-up of a bound method makes a new object.
                remaining.remove(listener)
            except ValueError:
                raise self._not_connected(listener) from None
            self.callbacks = remaining
        self.look_at_listeners()

    cdef int look_at_listeners(self) except -1:
        self.active = len(self.sinks) > 0 or len(self.callbacks) > 0
        self.details = len(self.callbacks) > 0
        for sink in self.sinks:
            self.details |= not (<TraceSink>sink).first_only
        self.single = None
        if len(self.sinks) == 1 and len(self.callbacks) == 0:
            self.single = self.sinks[0]
        return 0

    def _not_connected(self, listener):
        return ValueError(f"{listener!r} is not connected to trace source {self.name!r}")

    @property
    def listeners(self):
        """The connected listeners, in the order in which they are called."""
        return (*self.sinks, *self.callbacks)

    def emit(self, *args):
        """Call the listeners; for models written in Python. At most three arguments.

        Raises
        ------
        TypeError
            For more than three arguments.
        """
        cdef Py_ssize_t count = len(args)
        if not self.active:
            return
        if count == 0:
            self.emit0()
        elif count == 1:
            self.emit1(args[0])
        elif count == 2:
            self.emit2(args[0], args[1])
        elif count == 3:
            self.emit3(args[0], args[1], args[2])
        else:
            raise TypeError(f"trace source {self.name!r} got {count} arguments: at most 3 fit")

    cdef int emit0(self) except -1:
        cdef list sinks = self.sinks
        cdef list callbacks = self.callbacks
        for sink in sinks:
            (<TraceSink>sink).notify(self, None, None, None)
        for callback in callbacks:
            callback()
        return 0

    cdef int emit1(self, object a) except -1:
        cdef TraceSink single = self.single
        cdef list sinks
        cdef list callbacks
        if single is not None:
            return single.notify(self, a, None, None)
        sinks = self.sinks
        callbacks = self.callbacks
        for sink in sinks:
            (<TraceSink>sink).notify(self, a, None, None)
        for callback in callbacks:
            callback(a)
        return 0

    cdef int emit2(self, object a, object b) except -1:
        cdef list sinks = self.sinks
        cdef list callbacks = self.callbacks
        for sink in sinks:
            (<TraceSink>sink).notify(self, a, b, None)
        for callback in callbacks:
            callback(a, b)
        return 0

    cdef int emit3(self, object a, object b, object c) except -1:
        cdef list sinks = self.sinks
        cdef list callbacks = self.callbacks
        for sink in sinks:
            (<TraceSink>sink).notify(self, a, b, c)
        for callback in callbacks:
            callback(a, b, c)
        return 0

    def __repr__(self):
        return (
            f"<TraceSource {self.name!r} of {type(self.owner).__name__}, "
            f"{len(self.sinks) + len(self.callbacks)} listeners>"
        )


cdef class TraceSet:
    """The trace sources of a model: ``model.trace.tx.connect(listener)``.

    Parameters
    ----------
    owner : object
        The model that emits.
    **documentation : str
        One keyword for each source: its name, and what its arguments mean, with units.

    Notes
    -----
    Iteration gives the sources in the order of declaration; ``trace["tx"]`` and ``trace.tx``
    are the same. An unknown name is an `AttributeError` (`KeyError` for ``[]``) that lists those
    that exist.
    """

    def __cinit__(self, owner, /, **documentation):
        self.sources = {
            name: TraceSource(owner, name, doc) for name, doc in documentation.items()
        }

    cdef TraceSource source(self, str name):
        found = self.sources.get(name)
        if found is None:
            raise AttributeError(self._unknown(name), name=name, obj=self)
        return <TraceSource>found

    def _unknown(self, name):
        known = ", ".join(self.sources) if self.sources else "none"
        return f"no trace source {name!r}; there are: {known}"

    def __getattr__(self, str name):
        return self.source(name)

    def __getitem__(self, name):
        found = self.sources.get(name)
        if found is None:
            raise KeyError(self._unknown(name))
        return found

    def __contains__(self, name):
        return name in self.sources

    def __iter__(self):
        return iter(list(self.sources.values()))

    def __len__(self):
        return len(self.sources)

    def __dir__(self):
        return [*object.__dir__(self), *self.sources]

    def __repr__(self):
        return f"<TraceSet {', '.join(self.sources)}>"


def emit_repeatedly(TraceSource source not None, a, Py_ssize_t count):
    """Emit one argument so many times from compiled code, as a model does; for benchmarks."""
    cdef Py_ssize_t _number
    for _number in range(count):
        if source.active:
            source.emit1(a)
