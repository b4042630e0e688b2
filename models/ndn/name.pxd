"""Names: immutable, parsed and hashed once, compared as memory.

A name is the TLV-VALUE of its Name element. `hash[n]` identifies the prefix of n components: each
is a keyed SipHash-1-3 of the one before it and the next component, so that it depends on the order
of components, adding one costs one hash, and nobody without the key can make names collide.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp

from simcore.models.ndn.component cimport Component
from simcore.models.ndn.tlv cimport Element

cdef enum:
    NAME_TYPE = 7
    MAX_NAME_SIZE = 65535       # offsets have 16 bits; a packet is far below that


cdef class Name:
    cdef readonly bytes value      # TLV-VALUE: the components, encoded
    cdef int count                 # of components
    cdef uint64_t* hash            # count + 1 of them, hash[n] of the prefix of n components
    cdef uint16_t* offset          # count + 1 of them: where each component starts, and the end

    cdef inline const uint8_t* data(self) noexcept:
        return <const uint8_t*>PyBytes_AS_STRING(self.value)

    cdef inline Py_ssize_t size(self) noexcept:
        """Bytes of the value."""
        return self.offset[self.count]

    cdef inline bint equals(self, Name other) noexcept:
        return self is other or (
            self.count == other.count
            and self.hash[self.count] == other.hash[other.count]
            and self.offset[self.count] == other.offset[other.count]
            and memcmp(self.data(), other.data(), self.offset[self.count]) == 0
        )

    cdef inline bint has_prefix(self, Name prefix) noexcept:
        cdef int n = prefix.count
        return self is prefix or (
            n <= self.count
            and prefix.hash[n] == self.hash[n]
            and prefix.offset[n] == self.offset[n]
            and memcmp(self.data(), prefix.data(), prefix.offset[n]) == 0
        )

    cdef int compare(self, Name other) noexcept    # canonical order: negative, 0, positive
    cdef int last_type(self) noexcept              # of the last component; 0 when there is none
    cpdef Name prefix(self, int n)
    cpdef Name append_sequence(self, uint64_t number)
    cdef Name append_wire(self, const uint8_t* component, Py_ssize_t size)
    cdef Component component(self, int i)
    cdef bint starts_with(self, const char* components, Py_ssize_t size) noexcept


# The name of a Name element; TlvError when a component is malformed.
cdef Name name_of(Element* element)
cdef Name name_from_value(bytes value)
# A name given from Python: Name, str (a URI), or an iterable of components.
cdef Name name_from(object given)
