# Part of resources.pyx: what holds amounts or things: Container, Store, FilterStore.

cdef class Operation(Signal):
    """A put or a get that waits for its turn; made by the method of that name."""

    cdef readonly Exchange exchange
    cdef readonly object item      # what is put, the amount, or the filter
    cdef bint queued

    def __init__(self):
        raise TypeError("made with put() or get() of a container or store")

    cpdef bint cancel(self) noexcept:
        """Withdraw an operation that still waits.

        Returns
        -------
        bool
            True when it waited.
        """
        if not self.queued:
            return False
        self.queued = False
        self.exchange.withdrawn(self)
        return True

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.cancel()


@cython.final
cdef class Put(Operation):
    """A put that waits for room."""


@cython.final
cdef class Get(Operation):
    """A get that waits for something to be there."""


cdef class Exchange:
    """What containers and stores share: puts and gets, each served in its order."""

    cdef readonly Simulator simulator
    cdef object putters            # deque of Put
    cdef object getters            # deque of Get
    cdef object __weakref__

    @property
    def put_queue(self):
        """Puts that wait, in their order."""
        return list(self.putters)

    @property
    def get_queue(self):
        """Gets that wait, in their order."""
        return list(self.getters)

    cdef bint try_put(self, Put put) except -1:
        raise NotImplementedError

    cdef bint try_get(self, Get get) except -1:
        raise NotImplementedError

    cdef Put new_put(self, object item):
        cdef Put put = Put.__new__(Put)
        if self.simulator is None:
            refuse_uninitialised(self)
        put.simulator = self.simulator
        put.exchange = self
        put.item = item
        if not self.putters and self.try_put(put):
            if self.getters:
                self.serve()
        else:
            put.queued = True
            self.putters.append(put)
        return put

    cdef Get new_get(self, object item):
        cdef Get get = Get.__new__(Get)
        if self.simulator is None:
            refuse_uninitialised(self)
        get.simulator = self.simulator
        get.exchange = self
        get.item = item
        if (not self.getters or self.out_of_order()) and self.try_get(get):
            if self.putters:
                self.serve()
        else:
            get.queued = True
            self.getters.append(get)
        return get

    cdef bint out_of_order(self) noexcept:
        """Whether a get may be served before one that waits longer."""
        return False

    cdef int serve(self) except -1:
        """Serve the queues in turn until neither moves."""
        cdef bint moved = True
        while moved:
            moved = False
            while self.getters and self.try_get(<Get>self.getters[0]):
                (<Get>self.getters.popleft()).queued = False
                moved = True
            while self.putters and self.try_put(<Put>self.putters[0]):
                (<Put>self.putters.popleft()).queued = False
                moved = True
        return 0

    cdef void withdrawn(self, Operation operation) noexcept:
        cdef Signal failure
        if type(operation) is Put:
            self.putters.remove(operation)
        else:
            self.getters.remove(operation)
        # The one behind it may fit where it did not.
        try:
            self.serve()
        except BaseException as error:
            # A filter of a get that waits: nobody who could be told is at hand, so the run fails.
            failure = Signal.__new__(Signal)
            failure.simulator = self.simulator
            failure.settle_error(error)


@cython.final
cdef class Container(Exchange):
    """A level that is raised and lowered by amounts: fuel, money, bytes of a buffer.

    Parameters
    ----------
    sim : Simulator
    capacity : int or float
        Highest level; infinity by default.
    init : int or float
        Level at the beginning.
    """

    cdef readonly object capacity
    cdef readonly object level

    def __init__(self, Simulator sim not None, capacity=float("inf"), init=0):
        if self.simulator is not None:
            refuse_second_init(self)
        if not capacity > 0:
            raise ValueError(f"capacity is {capacity}: it must be positive")
        if not 0 <= init <= capacity:
            raise ValueError(f"init is {init}: it must be from 0 to the capacity, {capacity}")
        self.simulator = sim
        self.capacity = capacity
        self.level = init
        self.putters = deque()
        self.getters = deque()

    def put(self, amount):
        """Raise the level, as soon as there is room for the whole amount.

        Raises
        ------
        ValueError
            When the amount is not positive, or more than the capacity.
        """
        return self.new_put(self.amount_from(amount))

    def get(self, amount):
        """Lower the level, as soon as the whole amount is there; errors as for `put`."""
        return self.new_get(self.amount_from(amount))

    cdef object amount_from(self, object amount):
        if not 0 < amount <= self.capacity:
            raise ValueError(
                f"amount is {amount}: it must be positive and at most the capacity, "
                f"{self.capacity}"
            )
        return amount

    cdef bint try_put(self, Put put) except -1:
        if self.level + put.item > self.capacity:
            return False
        self.level += put.item
        put.settle(None)
        return True

    cdef bint try_get(self, Get get) except -1:
        if self.level < get.item:
            return False
        self.level -= get.item
        get.settle(get.item)
        return True

    def __repr__(self):
        return f"<Container, level {self.level} of {self.capacity}>"


cdef class Store(Exchange):
    """Items that are put and taken in their order.

    Parameters
    ----------
    sim : Simulator
    capacity : int or float
        Most items it holds; infinity by default.
    """

    cdef readonly object capacity
    cdef readonly object items     # deque, the oldest first
    cdef Py_ssize_t limit          # capacity, or -1 for infinity

    def __init__(self, Simulator sim not None, capacity=float("inf")):
        if self.simulator is not None:
            refuse_second_init(self)
        self.limit = -1 if capacity == float("inf") else at_least_one(capacity)
        self.simulator = sim
        self.capacity = capacity
        self.items = deque()
        self.putters = deque()
        self.getters = deque()

    def put(self, item):
        """Add an item, as soon as there is room."""
        return self.new_put(item)

    def get(self):
        """Take the oldest item, as soon as there is one; it is the value of the ``yield``."""
        return self.new_get(None)

    cdef bint try_put(self, Put put) except -1:
        if self.limit >= 0 and len(self.items) >= self.limit:
            return False
        self.items.append(put.item)
        put.settle(None)
        return True

    cdef bint try_get(self, Get get) except -1:
        if not self.items:
            return False
        get.settle(self.items.popleft())
        return True

    def __repr__(self):
        return f"<{type(self).__name__}, {len(self.items)} of {self.capacity} items>"


@cython.final
cdef class FilterStore(Store):
    """A store whose gets say which items they accept; a get that waits holds up no other."""

    def get(self, filter=None):
        """Take the oldest item that ``filter(item)`` accepts, as soon as there is one."""
        if filter is not None and not callable(filter):
            raise TypeError(f"filter is {filter!r}: it must be callable")
        return self.new_get(filter)

    cdef bint out_of_order(self) noexcept:
        return True

    cdef bint try_get(self, Get get) except -1:
        cdef Py_ssize_t index = 0
        for item in self.items:
            if get.item is None or get.item(item):
                # The filter may not change the store; the deque itself would notice.
                del self.items[index]
                get.settle(item)
                return True
            index += 1
        return False

    cdef int serve(self) except -1:
        cdef bint moved = True
        while moved:
            moved = False
            for get in list(self.getters):
                if (<Get>get).queued and self.try_get(<Get>get):
                    (<Get>get).queued = False
                    self.getters.remove(get)
                    moved = True
            while self.putters and self.try_put(<Put>self.putters[0]):
                (<Put>self.putters.popleft()).queued = False
                moved = True
        return 0
