"""Pending Interest table.

An entry's first in-record and out-record, which most entries have only, lie within it. Records
refer to faces without owning them: who closes a face removes its records.

Entries wait for their ends in a few lanes, each a list in the order of ends: Interests of one
lifetime end in the order in which they came. One timer of the table serves all lanes. An entry
that fits behind none of them has an event of its own.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint32_t, uint64_t

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.face cimport Face
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields
from simcore.models.ndn.name cimport Name
from simcore.simulator cimport Event, NativeTimer, Simulator

cdef enum:
    LANES = 8
    NO_LANE = -1               # no end is appointed
    OWN_EVENT = -2
    LENGTHS = 64               # names of 63 components and more are counted together
    NO_NACK = -1


cdef struct InRecord:
    PyObject* face             # borrowed
    PyObject* interest         # owned: as it arrived
    PyObject* fields           # owned LpFields, or NULL
    int64_t expiry             # ns


cdef struct OutRecord:
    PyObject* face             # borrowed
    int64_t last_renewed       # ns
    int64_t expiry             # ns
    uint32_t nonce             # of the latest Interest sent
    int32_t suppression        # interval of retransmission suppression, us; 0: none yet
    int16_t nack_reason        # NO_NACK: none came since


cdef struct MoreRecords:
    InRecord* arrived          # second and further ones
    OutRecord* sent
    PyObject* info             # owned: what a strategy keeps with the entry, or NULL
    int16_t in_room            # of arrived
    int16_t out_room


cdef struct Lane:
    PyObject* first            # borrowed, the next to end; NULL: empty
    PyObject* last


cdef class ExpiryListener:
    """Who is told when an entry's time is over: the forwarder."""
    cdef int entry_expired(self, PitEntry entry) except -1


cdef class PitEntry:
    cdef readonly Interest interest       # the first that arrived; gives the key
    cdef void* pit                        # borrowed Pit; NULL once erased
    cdef PyObject* next                   # borrowed, of the same bucket
    cdef int64_t end                      # ns, once it is appointed
    cdef PyObject* before                 # of its lane; or an OwnExpiry, owned
    cdef PyObject* after
    cdef InRecord first_in
    cdef OutRecord first_out
    cdef MoreRecords* more                # NULL: nothing of it is needed
    cdef int16_t in_count
    cdef int16_t out_count
    cdef int32_t suppression              # interval of retransmission suppression, us
    cdef int8_t lane
    cdef int8_t is_satisfied
    cdef int8_t remember_nonces           # at the end, although satisfied

    cdef inline InRecord* in_record(self, int i) noexcept:
        return &self.first_in if i == 0 else &self.more.arrived[i - 1]

    cdef inline OutRecord* out_record(self, int i) noexcept:
        return &self.first_out if i == 0 else &self.more.sent[i - 1]

    cdef InRecord* in_record_of(self, Face face) noexcept     # or NULL
    cdef OutRecord* out_record_of(self, Face face) noexcept
    cdef InRecord* put_in(
        self, Face face, Interest interest, LpFields fields, int64_t now
    ) except NULL
    cdef OutRecord* put_out(self, Face face, Interest interest, int64_t now) except NULL
    cdef bint delete_in(self, Face face) noexcept
    cdef bint delete_out(self, Face face) noexcept
    cdef void clear_in(self) noexcept
    cdef int64_t last_in_expiry(self) noexcept                # 0 when there is none
    cdef bint has_pending_out(self, int64_t now) noexcept     # unexpired and not Nacked
    cdef object strategy_info(self)
    cdef int set_strategy_info(self, object info) except -1
    cdef int expire_in(self, int64_t delay) except -1
    cdef MoreRecords* get_more(self) except NULL


cdef class OwnExpiry(Event):
    """The end of an entry that stands in no lane."""
    cdef PyObject* entry                  # borrowed: the entry owns the event


cdef class Pit:
    cdef readonly int64_t size
    cdef readonly int64_t peak
    cdef PyObject** buckets               # entries, owned
    cdef int64_t mask
    cdef int64_t prefix_of_length[LENGTHS]   # entries with CanBePrefix, by components
    cdef int64_t with_digest              # entries whose names end in an implicit digest
    cdef ExpiryListener listener
    cdef readonly Simulator sim           # None: nothing ends by time
    cdef NativeTimer timer
    cdef int64_t alarm                    # ns, when the timer runs; MAX_TIME: it does not
    cdef Lane lanes[LANES]
    cdef int64_t in_lanes                 # entries

    cdef int end_due(self) except -1      # end the entries whose time has come
    cdef PitEntry find(self, Interest interest)
    cdef PitEntry add(self, Interest interest)
    cdef int erase(self, PitEntry entry) except -1
    cdef PitEntry sole_match(self, Data data, bint* several)
    cdef list matches(self, Data data)
    cdef int collect(self, Name name, int n, Data data, list found) except -1
    cdef int grow(self) except -1
