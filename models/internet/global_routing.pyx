"""Shortest paths over a network that is known as a whole, as ns-3's global routing.

Each node finds the shortest paths from itself (Dijkstra) when it first needs one, in
O(links log nodes); a look-up costs one dictionary access. Equal paths are told apart by the order
of nodes and devices, so that a network always has the same routes.
"""

from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from simcore.models.internet.ipv4 cimport (
    ROUTE_FOUND, ROUTE_NONE, Hop, Interface, Ipv4, RoutingProtocol,
)
from simcore.models.network.address cimport ipv4_address

from heapq import heappop, heappush

from simcore.models.network.node import nodes_of


cdef class Topology:
    """Who is whose neighbour: nodes whose devices share a link, or a channel, and a network.

    Parameters
    ----------
    nodes : iterable of Node, optional
        By default all of the simulator.
    sim : Simulator, optional
        Needed without nodes.
    costs : callable, optional
        ``costs(interface) -> float`` of sending over an interface, positive; by default 1.

    Raises
    ------
    ValueError
        When neither nodes nor a simulator are given, or a cost is not positive.
    """

    def __init__(self, nodes=None, *, sim=None, costs=None):
        if nodes is None:
            if sim is None:
                raise ValueError("give nodes or sim")
            nodes = nodes_of(sim)
        self.stacks = [node.ipv4 for node in nodes if node.ipv4 is not None]
        self.by_node = {stack.node.id: place for place, stack in enumerate(self.stacks)}
        self.costs = costs
        self.measure()

    def __dealloc__(self):
        self.release()

    def release(self):
        free(self.first)
        free(self.neighbour)
        free(self.through)
        free(self.address)
        free(self.cost)
        self.first = NULL
        self.neighbour = NULL
        self.through = NULL
        self.address = NULL
        self.cost = NULL

    def recompute(self):
        """Look at the network again, after links or the forwarding of nodes changed.

        Changes of interfaces and addresses are seen without it.
        """
        self.stale = True

    cdef int measure(self) except -1:
        cdef Py_ssize_t i, total, at = 0
        cdef list edges = []
        self.generation += 1
        self.stale = False
        self.places = {}
        members = {}
        for place, stack in enumerate(self.stacks):
            for interface in stack.interfaces[1:]:
                for address, network in interface.networks:
                    self.places.setdefault(int(address), place)
                    channel = getattr(interface.device, "channel", None)
                    if channel is not None and interface.up and getattr(channel, "up", True):
                        key = (id(channel), network)
                        members.setdefault(key, []).append((place, interface, int(address)))
        for place, stack in enumerate(self.stacks):
            row = []
            for interface in stack.interfaces[1:]:
                cost = 1.0 if self.costs is None else float(self.costs(interface))
                if not cost > 0:
                    raise ValueError(f"cost of {interface!r} is {cost}: it must be positive")
                channel = getattr(interface.device, "channel", None)
                for _, network in interface.networks:
                    for other, _, address in members.get((id(channel), network), ()):
                        if other != place and interface.up:
                            row.append((other, interface.index, address, cost))
            edges.append(row)
        total = sum(map(len, edges))
        self.release()
        self.first = <int32_t*>malloc((len(edges) + 1) * sizeof(int32_t))
        self.neighbour = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        self.through = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        self.address = <uint32_t*>malloc((total + 1) * sizeof(uint32_t))
        self.cost = <double*>malloc((total + 1) * sizeof(double))
        if (
            self.first == NULL or self.neighbour == NULL or self.through == NULL
            or self.address == NULL or self.cost == NULL
        ):
            raise MemoryError("no memory for the topology")
        for i in range(len(edges)):
            self.first[i] = <int32_t>at
            for other, index, address, cost in edges[i]:
                self.neighbour[at] = other
                self.through[at] = index
                self.address[at] = address
                self.cost[at] = cost
                at += 1
        self.first[len(edges)] = <int32_t>at
        return 0

    cdef int32_t* tree(self, int32_t root) except NULL:
        """First edge of the shortest path from a stack to each other; the caller frees it."""
        cdef Py_ssize_t count = len(self.stacks)
        cdef int32_t* way = <int32_t*>malloc((count + 1) * sizeof(int32_t))
        cdef char* done = <char*>calloc(count + 1, 1)
        cdef int32_t place, other, edge
        cdef double distance
        cdef list heap = [(0.0, 0, root)]
        cdef list best = [float("inf")] * count
        # Among equal distances, what was found first comes first.
        cdef int order = 0
        if way == NULL or done == NULL:
            free(way)
            free(done)
            raise MemoryError("no memory for shortest paths")
        memset(way, 0xFF, (count + 1) * sizeof(int32_t))
        best[root] = 0.0
        while heap:
            distance, _, place = heappop(heap)
            if done[place]:
                continue
            done[place] = 1
            # A host that does not forward is an end, not a way.
            if place != root and not (<Ipv4>self.stacks[place]).forwarding:
                continue
            for edge in range(self.first[place], self.first[place + 1]):
                other = self.neighbour[edge]
                if distance + self.cost[edge] < <double>best[other]:
                    best[other] = distance + self.cost[edge]
                    way[other] = edge if place == root else way[place]
                    order += 1
                    heappush(heap, (best[other], order, other))
        free(done)
        return way

    def neighbours(self, node):
        """Neighbours of a node, as a list of (node, address, cost)."""
        cdef int32_t place = self.place(node)
        cdef int32_t edge
        if self.stale:
            self.measure()
        return [
            (
                self.stacks[self.neighbour[edge]].node,
                ipv4_address(self.address[edge]),
                self.cost[edge],
            )
            for edge in range(self.first[place], self.first[place + 1])
        ]

    def place(self, node):
        place = self.by_node.get(node.id)
        if place is None or self.stacks[place].node is not node:
            raise ValueError(f"{node!r} is not part of the topology")
        return place


cdef class GlobalRouting(RoutingProtocol):
    """Shortest paths over a `Topology`; made by `populate_routes`."""

    def __init__(self, Topology topology not None):
        self.topology = topology

    def __dealloc__(self):
        free(self.edges)

    cdef int attach(self, Ipv4 stack) except -1:
        RoutingProtocol.attach(self, stack)
        self.place = self.topology.place(stack.node)
        return 0

    cdef int interface_changed(self, Interface interface) except -1:
        self.topology.stale = True
        return 0

    cdef int route_output(self, uint32_t destination, Hop* hop) except -1:
        cdef Topology topology = self.topology
        cdef Interface interface
        cdef int32_t edge
        if topology.stale:
            topology.measure()
        place = topology.places.get(destination)
        if place is None:
            # Broadcasts of a network of the node's own need no path.
            for candidate in self.stack.interfaces:
                interface = <Interface>candidate
                if interface.up and interface.is_broadcast(destination):
                    hop.next_hop = destination
                    hop.source = interface.primary
                    hop.interface = interface.index
                    return ROUTE_FOUND
            return ROUTE_NONE
        if self.edges == NULL or self.generation != topology.generation:
            free(self.edges)
            self.edges = NULL
            self.edges = topology.tree(self.place)
            self.generation = topology.generation
        edge = self.edges[<int32_t>place]
        if edge < 0:
            return ROUTE_NONE
        interface = <Interface>self.stack.interfaces[topology.through[edge]]
        if not interface.up:
            return ROUTE_NONE
        hop.next_hop = topology.address[edge]
        hop.source = interface.source_for(hop.next_hop)
        hop.interface = interface.index
        return ROUTE_FOUND


def populate_routes(nodes=None, *, sim=None, costs=None):
    """Give all nodes the shortest paths to each other, in place of the routing they had.

    Call it when all nodes have their stacks; after a change of links, call ``recompute()`` of the
    topology.

    Parameters
    ----------
    nodes : iterable of Node, optional
        By default all of the simulator.
    sim : Simulator, optional
        Needed without nodes.
    costs : callable, optional
        ``costs(interface) -> float``, positive; by default each hop costs 1.

    Returns
    -------
    Topology
    """
    topology = Topology(nodes, sim=sim, costs=costs)
    for stack in topology.stacks:
        stack.set_routing(GlobalRouting(topology))
    return topology
