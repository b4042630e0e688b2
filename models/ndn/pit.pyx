"""Pending Interest table (NFD Developer's Guide 3.4)."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF, Py_XINCREF
from libc.stdint cimport int64_t
from libc.string cimport memset

from simcore.models.ndn.component cimport IMPLICIT_DIGEST
from simcore.models.ndn.data cimport Data
from simcore.models.ndn.face cimport Face
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields
from simcore.models.ndn.name cimport Name
from simcore.simulator cimport MAX_TIME, Event, Simulator, native_timer

cdef enum:
    FIRST_BUCKETS = 64


cdef class ExpiryListener:
    """Who is told when an entry's time is over."""

    cdef int entry_expired(self, PitEntry entry) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not handle expiry")


cdef void drop_in(InRecord* record) noexcept:
    Py_XDECREF(record.interest)
    Py_XDECREF(record.fields)


@cython.final
@cython.no_gc
@cython.freelist(256)
cdef class PitEntry:
    """A pending Interest: who asked (in-records), and who was asked (out-records)."""

    def __cinit__(self):
        self.lane = NO_LANE

    def __dealloc__(self):
        self.clear_in()
        if self.more != NULL:
            PyMem_Free(self.more.arrived)
            PyMem_Free(self.more.sent)
            Py_XDECREF(self.more.info)
            PyMem_Free(self.more)

    cdef MoreRecords* get_more(self) except NULL:
        if self.more == NULL:
            self.more = <MoreRecords*>PyMem_Malloc(sizeof(MoreRecords))
            if self.more == NULL:
                raise MemoryError
            memset(self.more, 0, sizeof(MoreRecords))
        return self.more

    cdef InRecord* in_record_of(self, Face face) noexcept:
        cdef int i
        for i in range(self.in_count):
            if self.in_record(i).face == <PyObject*>face:
                return self.in_record(i)
        return NULL

    cdef OutRecord* out_record_of(self, Face face) noexcept:
        cdef int i
        for i in range(self.out_count):
            if self.out_record(i).face == <PyObject*>face:
                return self.out_record(i)
        return NULL

    cdef InRecord* put_in(
        self, Face face, Interest interest, LpFields fields, int64_t now
    ) except NULL:
        """Insert the in-record of a face, or bring it up to date."""
        cdef InRecord* record = self.in_record_of(face)
        cdef InRecord* records
        cdef MoreRecords* more
        if record == NULL:
            if self.in_count > 0:
                more = self.get_more()
                if self.in_count > more.in_room:
                    records = <InRecord*>PyMem_Realloc(
                        more.arrived, (2 * more.in_room + 2) * sizeof(InRecord)
                    )
                    if records == NULL:
                        raise MemoryError
                    more.arrived = records
                    more.in_room = 2 * more.in_room + 2
            record = self.in_record(self.in_count)
            memset(record, 0, sizeof(InRecord))
            record.face = <PyObject*>face
            self.in_count += 1
        drop_in(record)
        record.interest = <PyObject*>interest
        record.fields = NULL if fields is None else <PyObject*>fields
        Py_XINCREF(record.interest)
        Py_XINCREF(record.fields)
        record.expiry = later(now, interest.lifetime_ns())
        return record

    cdef OutRecord* put_out(self, Face face, Interest interest, int64_t now) except NULL:
        """Insert the out-record of a face, or bring it up to date; an old Nack is forgotten."""
        cdef OutRecord* record = self.out_record_of(face)
        cdef OutRecord* records
        cdef MoreRecords* more
        if record == NULL:
            if self.out_count > 0:
                more = self.get_more()
                if self.out_count > more.out_room:
                    records = <OutRecord*>PyMem_Realloc(
                        more.sent, (2 * more.out_room + 2) * sizeof(OutRecord)
                    )
                    if records == NULL:
                        raise MemoryError
                    more.sent = records
                    more.out_room = 2 * more.out_room + 2
            record = self.out_record(self.out_count)
            memset(record, 0, sizeof(OutRecord))
            record.face = <PyObject*>face
            self.out_count += 1
        record.nonce = interest.nonce_value
        record.last_renewed = now
        record.expiry = later(now, interest.lifetime_ns())
        record.nack_reason = NO_NACK
        return record

    cdef bint delete_in(self, Face face) noexcept:
        cdef int i
        cdef int j
        for i in range(self.in_count):
            if self.in_record(i).face == <PyObject*>face:
                drop_in(self.in_record(i))
                for j in range(i, self.in_count - 1):
                    self.in_record(j)[0] = self.in_record(j + 1)[0]
                self.in_count -= 1
                return True
        return False

    cdef bint delete_out(self, Face face) noexcept:
        cdef int i
        cdef int j
        for i in range(self.out_count):
            if self.out_record(i).face == <PyObject*>face:
                for j in range(i, self.out_count - 1):
                    self.out_record(j)[0] = self.out_record(j + 1)[0]
                self.out_count -= 1
                return True
        return False

    cdef void clear_in(self) noexcept:
        cdef int i
        for i in range(self.in_count):
            drop_in(self.in_record(i))
        self.in_count = 0

    cdef int64_t last_in_expiry(self) noexcept:
        cdef int64_t last = 0
        cdef int i
        for i in range(self.in_count):
            if self.in_record(i).expiry > last:
                last = self.in_record(i).expiry
        return last

    cdef bint has_pending_out(self, int64_t now) noexcept:
        cdef int i
        for i in range(self.out_count):
            if self.out_record(i).expiry >= now and self.out_record(i).nack_reason == NO_NACK:
                return True
        return False

    cdef object strategy_info(self):
        return None if self.more == NULL or self.more.info == NULL else <object>self.more.info

    cdef int set_strategy_info(self, object info) except -1:
        cdef PyObject* old
        if info is None and self.more == NULL:
            return 0
        old = self.get_more().info
        if info is None:
            self.more.info = NULL
        else:
            Py_INCREF(info)
            self.more.info = <PyObject*>info
        Py_XDECREF(old)
        return 0

    cdef int expire_in(self, int64_t delay) except -1:
        """Appoint the end of the entry, in place of an earlier appointment."""
        cdef Pit pit
        if self.pit == NULL:
            return 0
        pit = <Pit>self.pit
        return appoint(pit, self, later(pit.sim.now_ns, delay))

    @property
    def name(self):
        """Name of the Interest."""
        return self.interest.name

    @property
    def satisfied(self):
        """Whether Data came."""
        return bool(self.is_satisfied)

    @property
    def in_faces(self):
        """Faces with an in-record, in the order in which they came."""
        return [<object>self.in_record(i).face for i in range(self.in_count)]

    @property
    def out_faces(self):
        """Faces with an out-record, in the order in which they were used first."""
        return [<object>self.out_record(i).face for i in range(self.out_count)]

    def out_state(self, Face face not None):
        """Of the out-record of a face: (last renewed, expiry, nonce, Nack reason or None).

        None when the face has no out-record. Times in ns.
        """
        cdef OutRecord* record = self.out_record_of(face)
        if record == NULL:
            return None
        return (
            record.last_renewed, record.expiry, record.nonce,
            None if record.nack_reason == NO_NACK else record.nack_reason,
        )

    def in_state(self, Face face not None):
        """Of the in-record of a face: (Interest, expiry in ns); None when there is none."""
        cdef InRecord* record = self.in_record_of(face)
        return None if record == NULL else (<object>record.interest, record.expiry)

    def in_fields(self, Face face not None):
        """Header fields of a face's Interest, or None."""
        cdef InRecord* record = self.in_record_of(face)
        return None if record == NULL or record.fields == NULL else <LpFields>record.fields

    @property
    def strategy_state(self):
        """Whatever the strategy keeps with the entry; None at first."""
        return self.strategy_info()

    @strategy_state.setter
    def strategy_state(self, state):
        self.set_strategy_info(state)

    @property
    def memory(self):
        """Bytes of this entry, its records included, the Interest and names not."""
        cdef Py_ssize_t size = sizeof_entry()
        if self.more != NULL:
            size += sizeof(MoreRecords) + self.more.in_room * sizeof(InRecord)
            size += self.more.out_room * sizeof(OutRecord)
        return size

    def __repr__(self):
        return f"<PitEntry {self.interest!r} in {self.in_faces} out {self.out_faces}>"


cdef inline int64_t later(int64_t now, int64_t delay) noexcept:
    """Time `delay` from now, or the end of time."""
    return now + delay if delay <= MAX_TIME - now else MAX_TIME


cdef Py_ssize_t sizeof_entry():
    return PitEntry.__basicsize__


include "pit_ends.pxi"


@cython.final
cdef class Pit:
    """Pending Interests by name, CanBePrefix and MustBeFresh.

    Parameters
    ----------
    listener : ExpiryListener, optional
        Told when an entry's time is over.
    sim : Simulator, optional
        Whose time that is.
    """

    def __cinit__(self):
        self.buckets = <PyObject**>PyMem_Malloc(FIRST_BUCKETS * sizeof(PyObject*))
        if self.buckets == NULL:
            raise MemoryError
        memset(self.buckets, 0, FIRST_BUCKETS * sizeof(PyObject*))
        self.mask = FIRST_BUCKETS - 1
        self.alarm = MAX_TIME

    def __init__(self, ExpiryListener listener=None, Simulator sim=None):
        self.listener = listener
        self.sim = sim
        if sim is not None:
            self.timer = native_timer(sim, timer_fired, self)

    def __dealloc__(self):
        cdef int64_t i
        cdef PitEntry entry
        if self.buckets == NULL:
            return
        for i in range(self.mask + 1):
            while self.buckets[i] != NULL:
                entry = <PitEntry>self.buckets[i]
                self.buckets[i] = entry.next
                entry.pit = NULL
                if entry.lane == OWN_EVENT:
                    drop_event(entry)
                entry.lane = NO_LANE
                Py_DECREF(entry)
        PyMem_Free(self.buckets)

    cdef PitEntry find(self, Interest interest):
        cdef Name name = interest.name
        cdef PyObject* at = self.buckets[<int64_t>name.hash[name.count] & self.mask]
        cdef Interest other
        while at != NULL:
            other = (<PitEntry>at).interest
            if (
                other.can_be_prefix == interest.can_be_prefix
                and other.must_be_fresh == interest.must_be_fresh
                and other.name.equals(name)
            ):
                return <PitEntry>at
            at = (<PitEntry>at).next
        return None

    cdef PitEntry add(self, Interest interest):
        """New entry; the caller knows that there is none yet."""
        cdef PitEntry entry = PitEntry.__new__(PitEntry)
        cdef Name name = interest.name
        cdef PyObject** bucket
        if self.size > self.mask:
            self.grow()
        bucket = &self.buckets[<int64_t>name.hash[name.count] & self.mask]
        entry.interest = interest
        entry.pit = <void*>self
        entry.next = bucket[0]
        bucket[0] = <PyObject*>entry
        Py_INCREF(entry)
        self.size += 1
        if self.size > self.peak:
            self.peak = self.size
        if interest.can_be_prefix:
            self.prefix_of_length[min(name.count, LENGTHS - 1)] += 1
        if name.last_type() == IMPLICIT_DIGEST:
            self.with_digest += 1
        return entry

    cdef int erase(self, PitEntry entry) except -1:
        cdef Name name = entry.interest.name
        cdef PyObject** link = &self.buckets[<int64_t>name.hash[name.count] & self.mask]
        if entry.pit != <void*>self:
            return 0
        while link[0] != <PyObject*>entry:
            link = &(<PitEntry>link[0]).next
        link[0] = entry.next
        entry.pit = NULL
        entry.next = NULL
        if entry.lane != NO_LANE:
            release(self, entry)
        self.size -= 1
        if entry.interest.can_be_prefix:
            self.prefix_of_length[min(name.count, LENGTHS - 1)] -= 1
        if name.last_type() == IMPLICIT_DIGEST:
            self.with_digest -= 1
        Py_DECREF(entry)
        return 0

    cdef int end_due(self) except -1:
        return end_entries(self)

    cdef int grow(self) except -1:
        cdef int64_t mask = 2 * self.mask + 1
        cdef int64_t i
        cdef PyObject* at
        cdef PyObject* next
        cdef PyObject** bucket
        cdef Name name
        cdef PyObject** buckets = <PyObject**>PyMem_Malloc((mask + 1) * sizeof(PyObject*))
        if buckets == NULL:
            raise MemoryError
        memset(buckets, 0, (mask + 1) * sizeof(PyObject*))
        for i in range(self.mask + 1):
            at = self.buckets[i]
            while at != NULL:
                next = (<PitEntry>at).next
                name = (<PitEntry>at).interest.name
                bucket = &buckets[<int64_t>name.hash[name.count] & mask]
                (<PitEntry>at).next = bucket[0]
                bucket[0] = at
                at = next
        PyMem_Free(self.buckets)
        self.buckets = buckets
        self.mask = mask
        return 0

    cdef int collect(self, Name name, int n, Data data, list found) except -1:
        """Entries of the prefix of `n` components of `name` that the Data answers."""
        cdef PyObject* at = self.buckets[<int64_t>name.hash[n] & self.mask]
        cdef Interest interest
        while at != NULL:
            interest = (<PitEntry>at).interest
            if (
                interest.name.count == n and interest.name.hash[n] == name.hash[n]
                and interest.matches_data(data)
            ):
                found.append(<object>at)
            at = (<PitEntry>at).next
        return 0

    cdef PitEntry sole_match(self, Data data, bint* several):
        """The entry when only one matches; `several` tells when `matches` has to be asked."""
        cdef Name name = data.name
        cdef PyObject* at
        cdef PitEntry found = None
        cdef Interest interest
        cdef int n
        several[0] = self.with_digest > 0
        for n in range(name.count):
            if self.prefix_of_length[n if n < LENGTHS else LENGTHS - 1]:
                several[0] = True
        if several[0]:
            return None
        at = self.buckets[<int64_t>name.hash[name.count] & self.mask]
        while at != NULL:
            interest = (<PitEntry>at).interest
            if interest.name.equals(name):
                if found is not None:
                    several[0] = True
                    return None
                found = <PitEntry>at
            at = (<PitEntry>at).next
        return found

    cdef list matches(self, Data data):
        """All entries that the Data answers, the longest names first."""
        cdef Name name = data.name
        cdef list found = []
        cdef int n
        if self.with_digest:
            self.collect(data.full_name_c(), name.count + 1, data, found)
        self.collect(name, name.count, data, found)
        for n in range(name.count - 1, -1, -1):
            if self.prefix_of_length[n if n < LENGTHS else LENGTHS - 1]:
                self.collect(name, n, data, found)
        return found

    def insert(self, Interest interest not None):
        """Entry of an Interest, made if need be."""
        cdef PitEntry entry = self.find(interest)
        return self.add(interest) if entry is None else entry

    def lookup(self, Interest interest not None):
        """Entry of an Interest, or None."""
        return self.find(interest)

    def remove(self, PitEntry entry not None):
        """Erase an entry and stop its timer."""
        self.erase(entry)

    def match(self, Data data not None):
        """Entries that Data answers, the longest names first."""
        return self.matches(data)

    @property
    def entries(self):
        """All entries, in canonical order of their names."""
        cdef int64_t i
        cdef PyObject* at
        cdef list found = []
        for i in range(self.mask + 1):
            at = self.buckets[i]
            while at != NULL:
                found.append(<object>at)
                at = (<PitEntry>at).next
        found.sort(key=entry_order)
        return found

    def __len__(self):
        return self.size


def entry_order(PitEntry entry not None) -> tuple[Name, bool, bool]:
    """Sort key of an entry: name, CanBePrefix, MustBeFresh."""
    return entry.interest.name, entry.interest.can_be_prefix, entry.interest.must_be_fresh
