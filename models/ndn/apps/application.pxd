"""Base of NDN applications."""

from libc.stdint cimport int64_t

from simcore.models.network.application cimport Application
from simcore.models.ndn.app_face cimport AppFace
from simcore.models.ndn.data cimport Data
from simcore.models.ndn.forwarder cimport Forwarder
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields
from simcore.random.stream cimport RandomStream


cdef class NdnApplication(Application):
    cdef readonly Forwarder forwarder
    cdef readonly AppFace face             # while it runs, else None
    cdef RandomStream nonces

    cdef int interest_arrived(self, Interest interest, LpFields fields) except -1
    cdef int data_arrived(self, Data data, LpFields fields) except -1
    cdef int nack_arrived(self, Interest interest, int reason, LpFields fields) except -1


# Whole milliseconds of a time given from Python (ns, or a text with a unit).
cdef int64_t milliseconds_of(object value, str name) except -1
# Whether a subclass written in Python overrides a method of `base`.
cdef bint overrides(object application, type base, str name) except -1
