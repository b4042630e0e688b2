"""Interests."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.name cimport Name
from simcore.models.ndn.tlv cimport Element

cdef enum:
    DEFAULT_LIFETIME_MS = 4000      # 0.3 "InterestLifetime"

# Longest lifetime that is counted, in ns: longer ones, which the wire may carry, mean this.
cdef int64_t MAX_LIFETIME


cdef class Interest:
    cdef readonly Name name
    cdef readonly int64_t lifetime_ms       # up to 2**63 - 1, as on the wire
    cdef uint32_t nonce_value
    cdef int32_t size                       # of the wire format, bytes
    cdef int16_t hops_left                  # HopLimit, or -1
    cdef readonly bint has_nonce
    cdef readonly bint can_be_prefix
    cdef readonly bint must_be_fresh
    cdef readonly tuple forwarding_hint     # names of delegations, () when there are none
    cdef bytes parameters                   # elements from ApplicationParameters on, or None
    cdef bytes wire                         # what was received or made, or None

    cdef inline int64_t lifetime_ns(self) noexcept:
        return (
            self.lifetime_ms * 1000000 if self.lifetime_ms < MAX_LIFETIME // 1000000
            else MAX_LIFETIME
        )

    cdef Interest with_hop_limit(self, int hop_limit)
    cdef Interest with_nonce(self, uint32_t nonce)
    cdef Interest without_hint(self)
    cdef bint matches_data(self, Data data) except -1
    cpdef bytes to_wire(self)


cdef Interest new_interest(Name name, uint32_t nonce, int64_t lifetime_ms)
cdef Interest new_interest_with(
    Name name, uint32_t nonce, int64_t lifetime_ms, bint can_be_prefix, bint must_be_fresh,
    int hop_limit,
)
cdef Interest decode_interest(Element* packet, bytes wire)
