"""The base of route caches."""

from libc.stdint cimport int64_t, uint32_t

from simcore.models.dsr.route cimport Route
from simcore.models.network.address cimport ipv4_address, ipv4_value


cdef class RouteCache:
    """Base of route caches.

    Parameters
    ----------
    own : Ipv4Address, str or int
        Address of the node that keeps it.
    """

    def __init__(self, own):
        self.own = ipv4_value(own)

    cdef bint learn(self, const uint32_t* hops, int count, int at, int64_t now) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override learn()")

    cdef Route find(self, uint32_t destination, int64_t now):
        raise NotImplementedError(f"{type(self).__name__} does not override find()")

    cdef int use(self, Route route, uint32_t destination, int64_t now) except -1:
        return 0

    cdef bint break_link(self, uint32_t a, uint32_t b, int64_t now) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override break_link()")

    cdef void mark_external(self, uint32_t a, uint32_t b) noexcept:
        pass

    def add(self, hops, int64_t now=0, *, at=None):
        """Enter the links between consecutive hops, both ways.

        Parameters
        ----------
        hops : iterable of addresses
            At least two.
        now : int
            Time (ns).
        at : int, optional
            Place of this node, or of the neighbour it was heard from; found when left out.

        Returns
        -------
        bool
            Whether something was new.

        Raises
        ------
        ValueError
            When there are too few hops, or this node is not among them and `at` is missing.
        """
        cdef Route chain = Route(hops)
        cdef int place
        if chain.count < 2:
            raise ValueError(f"hops has {chain.count} addresses: a link needs two")
        place = chain.find(self.own) if at is None else at
        if not 0 <= place < chain.count:
            raise ValueError(f"at is {at}: {ipv4_address(self.own)} is not among the hops")
        return self.learn(chain.hop, chain.count, place, now)

    def lookup(self, destination, int64_t now=0):
        """Nodes between this one and a destination on the best route, as a Route, or None."""
        return self.find(ipv4_value(destination), now)

    def send_along(self, Route route not None, destination, int64_t now=0):
        """Tell the cache that a packet goes along a route."""
        self.use(route, ipv4_value(destination), now)

    def remove_link(self, a, b, int64_t now=0):
        """Take a broken link out, both ways; whether it was there."""
        return self.break_link(ipv4_value(a), ipv4_value(b), now)
