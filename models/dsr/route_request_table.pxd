"""Route Request Table (RFC 4728 4.3): own discoveries, and requests seen; times in ns."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t


cdef class Discovery:
    """Requests that this node sent for a target."""
    cdef readonly uint32_t target
    cdef readonly int attempts             # since the last reply: the non-propagating one too
    cdef readonly int ttl                  # of the last request
    cdef readonly uint16_t identification  # of the last request
    cdef readonly int64_t last             # when it was sent
    cdef readonly int64_t not_before       # of the next request
    cdef int64_t period                    # wait after the next propagating request
    cdef int64_t stamp                     # of the last use, for replacement
    cdef object timer                      # NativeTimer of the owner, or None


cdef struct SeenRequests:
    int64_t stamp                          # of the last use
    int32_t next                           # where the next entry goes
    int32_t count


cdef class RouteRequestTable:
    cdef readonly int size                 # nodes, of each kind
    cdef readonly int ids                  # requests remembered of each initiator
    cdef int64_t uses
    cdef int initiators
    cdef uint32_t* initiator               # searched on every request: apart from the rest
    cdef SeenRequests* seen_requests
    cdef uint32_t* seen_target             # size x ids
    cdef uint16_t* seen_id
    cdef dict discoveries                  # target -> Discovery

    # Whether the request came before; if not, it is remembered.
    cdef bint seen(self, uint32_t initiator, uint16_t identification, uint32_t target) noexcept
    cdef Discovery discovery(self, uint32_t target, int64_t period)    # made when it is new
    cdef Discovery find_discovery(self, uint32_t target)               # or None
