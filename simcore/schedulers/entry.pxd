"""The entry of a pending-event set: one 128-bit integer, so that order is one comparison.

    bits 127..64  time in nanoseconds (never negative)
    bits  63..28  insertion number
    bits  27..0   slot: index into the simulator's table of pending events
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from *:
    """
    typedef unsigned __int128 simcore_entry_t;
    static inline simcore_entry_t simcore_entry(int64_t time, uint64_t key) {
        return ((simcore_entry_t)(uint64_t)time << 64) | key;
    }
    #define simcore_entry_time(e) ((int64_t)(uint64_t)((e) >> 64))
    #define simcore_entry_slot(e) ((int32_t)((e) & 0xFFFFFFF))
    #define simcore_entry_key(e) ((uint64_t)(e))
    """
    ctypedef unsigned long long Entry "simcore_entry_t"
    Entry make_entry "simcore_entry" (int64_t time, uint64_t key) noexcept nogil
    int64_t entry_time "simcore_entry_time" (Entry e) noexcept nogil
    int32_t entry_slot "simcore_entry_slot" (Entry e) noexcept nogil
    uint64_t entry_key "simcore_entry_key" (Entry e) noexcept nogil

cdef enum:
    SLOT_BITS = 28
    MAX_SLOTS = 268435456          # 2**28 events pending at once
    SEQUENCE_LIMIT_BITS = 36       # insertion numbers before the pending ones are renumbered
