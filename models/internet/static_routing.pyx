"""Routes entered by hand, and those to the networks of the node's own interfaces."""

cimport cython
from libc.stdint cimport uint32_t

from simcore.models.internet.ipv4 cimport (
    ROUTE_FOUND, ROUTE_NONE, Hop, Interface, Ipv4, RoutingProtocol,
)
from simcore.models.network.address cimport Ipv4Network, ipv4_address, ipv4_value
from simcore.whole cimport whole

cdef enum:
    # Destinations whose route is remembered; all are forgotten when there are more.
    MAX_KNOWN = 65536


@cython.final
cdef class Route:
    """One line of a routing table."""

    @property
    def network(self):
        """Destinations."""
        return Ipv4Network((self.destination, self.prefix_length))

    @property
    def next_hop(self):
        """Gateway, or None when the destination is on the link."""
        return ipv4_address(self.gateway) if self.gateway else None

    cdef void fill(self, uint32_t destination, Hop* hop) noexcept:
        hop.next_hop = self.gateway if self.gateway else destination
        hop.source = self.source if self.source else self.interface.source_for(hop.next_hop)
        hop.interface = self.interface.index

    def __repr__(self):
        via = f" via {self.next_hop}" if self.gateway else ""
        return f"<Route {self.network}{via}, interface {self.interface.index}>"


cdef class StaticRouting(RoutingProtocol):
    """Longest-prefix matching over routes entered by hand and the networks of the interfaces.

    Of several routes with the same prefix the lowest metric wins, then the one entered first;
    routes over interfaces that are down are passed over. A look-up costs one dictionary access
    after the first to a destination, and O(routes) before.
    """

    def __init__(self):
        self.routes = []
        self.known = {}

    cdef int attach(self, Ipv4 stack) except -1:
        RoutingProtocol.attach(self, stack)
        for interface in stack.interfaces:
            self.interface_changed(<Interface>interface)
        return 0

    cdef int interface_changed(self, Interface interface) except -1:
        cdef Route route
        cdef Ipv4Network network
        self.routes = [
            known for known in self.routes
            if not ((<Route>known).connected and (<Route>known).interface is interface)
        ]
        for address, value in interface.networks:
            network = value
            route = Route.__new__(Route)
            route.destination = network.value
            route.mask = network.mask_value
            route.prefix_length = network.prefix_length
            route.source = ipv4_value(address)
            route.interface = interface
            route.connected = True
            self.insert(route)
        self.known = {}
        return 0

    cdef int insert(self, Route route) except -1:
        # Sorting is stable: equal routes stay in the order of entry.
        self.routes.append(route)
        self.routes.sort(key=_sort_key)
        self.known = {}
        return 0

    def add_route(self, network, gateway=None, interface=None, metric=0):
        """Enter a route.

        Parameters
        ----------
        network : Ipv4Network or str
            Destinations, such as ``"10.1.2.0/24"`` or, for one host, ``"10.1.2.7/32"``.
        gateway : Ipv4Address, str or int, optional
            Neighbour that forwards; without one the destinations are on the link.
        interface : Interface or int, optional
            By default the one whose network the gateway is in.
        metric : int

        Raises
        ------
        ValueError
            When there is neither interface nor gateway, or the gateway is no neighbour.
        """
        cdef Ipv4Network prefix = Ipv4Network(network)
        cdef Route route = Route.__new__(Route)
        metric = whole("metric", metric)
        if gateway is not None:
            route.gateway = ipv4_value(gateway)
        if isinstance(interface, Interface):
            route.interface = interface
            if route.interface.stack is not self.stack:
                raise ValueError(f"{interface!r} belongs to another node")
        elif interface is not None:
            if not 0 <= interface < len(self.stack.interfaces):
                raise ValueError(
                    f"interface is {interface}: {self.stack.node!r} has "
                    f"{len(self.stack.interfaces)} (0 is the loopback)"
                )
            route.interface = self.stack.interfaces[interface]
        elif gateway is None:
            raise ValueError(f"route to {network}: it needs a gateway or an interface")
        else:
            for candidate in self.stack.interfaces:
                for _, reach in candidate.networks:
                    if gateway in reach:
                        route.interface = candidate
            if route.interface is None:
                raise ValueError(
                    f"gateway is {gateway}: no interface of {self.stack.node!r} is in its network"
                )
        route.destination = prefix.value
        route.mask = prefix.mask_value
        route.prefix_length = prefix.prefix_length
        route.metric = metric
        self.insert(route)
        return route

    def set_default_route(self, gateway, interface=None, metric=0):
        """Send what no other route covers to a gateway."""
        return self.add_route("0.0.0.0/0", gateway, interface, metric)

    def remove_route(self, Route route not None):
        """Take a route out.

        Raises
        ------
        ValueError
            When it is not in the table.
        """
        if route not in self.routes:
            raise ValueError(f"{route!r} is not in the table")
        self.routes.remove(route)
        self.known = {}

    cdef Route find(self, uint32_t destination):
        cdef Route route
        for candidate in self.routes:
            route = <Route>candidate
            if (destination & route.mask) == route.destination and route.interface.up:
                return route
        return None

    cdef int route_output(self, uint32_t destination, Hop* hop) except -1:
        cdef Route route
        found = self.known.get(destination, self)
        if found is self:
            route = self.find(destination)
            if len(self.known) >= MAX_KNOWN:
                self.known = {}
            self.known[destination] = route
        else:
            route = <Route>found
        if route is None:
            return ROUTE_NONE
        route.fill(destination, hop)
        return ROUTE_FOUND


def _sort_key(Route route not None):
    return -route.prefix_length, route.metric
