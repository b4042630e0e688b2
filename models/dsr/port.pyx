"""An interface on which a node's DSR runs (RFC 4728 8.4), with its queue."""

cimport cython

from simcore.models.dsr.network_queue cimport NetworkQueue
from simcore.models.internet.ipv4 cimport Interface


@cython.final
cdef class Port:
    """Interface, queue, and the packet that the device is busy with.

    Parameters
    ----------
    interface : Interface
        With a device and an address.
    queue : NetworkQueue

    Raises
    ------
    ValueError
        When the interface has no device or no address.
    """

    def __init__(self, Interface interface not None, NetworkQueue queue not None):
        if interface.device is None:
            raise ValueError("interface is the loopback: DSR needs a device")
        if not interface.primary:
            raise ValueError(f"{interface!r} has no address: give it one before DSR")
        self.interface = interface
        self.device = interface.device
        self.arp = interface.arp
        self.address = interface.primary
        self.queue = queue

    def __repr__(self):
        return f"<Port on {self.interface!r}>"
