"""Base of NDN applications."""

cimport cython
from libc.stdint cimport int64_t, uint32_t

from simcore.models.network.application cimport Application
from simcore.models.ndn.app_face cimport AppListener, new_app_face
from simcore.models.ndn.data cimport Data
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields
from simcore.models.network.node cimport Node

from simcore.models.ndn.stack import forwarder_of
from simcore.units import parse_time

cdef enum:
    NS_PER_MS = 1000000

cdef int64_t MAX_NONCE = 0xFFFFFFFF


@cython.final
cdef class Relay(AppListener):
    """Hands what a face gives to its application, which has another base already."""

    cdef NdnApplication application

    cdef int interest(self, Interest interest, LpFields fields) except -1:
        return self.application.interest_arrived(interest, fields)

    cdef int data(self, Data data, LpFields fields) except -1:
        return self.application.data_arrived(data, fields)

    cdef int nack(self, Interest interest, int reason, LpFields fields) except -1:
        return self.application.nack_arrived(interest, reason, fields)


cdef int64_t milliseconds_of(object value, str name) except -1:
    time = parse_time(value, "ns", name)
    if time < 0 or time % NS_PER_MS:
        raise ValueError(f"{name} is {value!r}: it must be whole milliseconds, not negative")
    return time // NS_PER_MS


cdef bint overrides(object application, type base, str name) except -1:
    return getattr(type(application), name) is not getattr(base, name)


cdef class NdnApplication(Application):
    """Base of NDN applications; in Python, override `on_interest`, `on_data` and `on_nack`.

    While it runs, the application has a face of the node's forwarder.

    Parameters
    ----------
    node : Node
        With NDN installed.
    start, stop : int or str, optional
        See `simcore.models.apps.Application`.

    Raises
    ------
    ValueError
        When the node has no forwarder, or the times are wrong.
    """

    def __init__(self, Node node not None, *, start=None, stop=None):
        self.forwarder = forwarder_of(node)
        Application.__init__(self, node, start, stop)
        self.nonces = node.sim.random.stream(f"ndn/{node.id}/app/{self.index}/nonces")

    cdef int begin(self) except -1:
        cdef Relay relay = Relay()
        relay.application = self
        self.face = new_app_face(self.sim, relay)
        self.forwarder.add_face(self.face)
        self.on_start()
        return 0

    cdef int end(self) except -1:
        self.on_stop()
        self.forwarder.remove_face(self.face)
        self.face = None
        return 0

    def express(self, Interest interest not None, LpFields fields=None):
        """Send an Interest; it gets a nonce if it has none. Its Data comes to `on_data`.

        Raises
        ------
        RuntimeError
            When the application does not run.
        """
        self.check_running()
        if not interest.has_nonce:
            interest = interest.with_nonce(<uint32_t>self.nonces.integer_c(0, MAX_NONCE))
        self.face.express(interest, fields)

    def put(self, Data data not None, LpFields fields=None):
        """Send Data.

        Raises
        ------
        RuntimeError
            When the application does not run.
        """
        self.check_running()
        self.face.put(data, fields)

    def nack(self, Interest interest not None, int reason):
        """Refuse an Interest with a `NackReason`.

        Raises
        ------
        RuntimeError
            When the application does not run.
        """
        self.check_running()
        self.face.reject(interest, reason)

    def register(self, prefix, cost=0):
        """Have the forwarder send Interests for a prefix here, while the application runs.

        Raises
        ------
        RuntimeError
            When the application does not run: call it in `on_start`.
        """
        self.check_running()
        self.forwarder.add_route(prefix, self.face, cost)

    def check_running(self):
        """Raise unless the application runs."""
        if self.face is None:
            raise RuntimeError(f"{self!r} does not run: it has no face")

    cdef int interest_arrived(self, Interest interest, LpFields fields) except -1:
        self.on_interest(interest)
        return 0

    cdef int data_arrived(self, Data data, LpFields fields) except -1:
        self.on_data(data)
        return 0

    cdef int nack_arrived(self, Interest interest, int reason, LpFields fields) except -1:
        self.on_nack(interest, reason)
        return 0

    def on_interest(self, interest):
        """An Interest came for a prefix that was registered."""

    def on_data(self, data):
        """Data came."""

    def on_nack(self, interest, reason):
        """An Interest came back with a `NackReason`."""
