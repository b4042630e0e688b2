"""Name components: a type and a value."""

from libc.stdint cimport uint64_t

# Component types (NDN Packet Format Specification 0.3, "TLV-TYPE number assignments").
cdef enum:
    IMPLICIT_DIGEST = 1
    PARAMETERS_DIGEST = 2
    GENERIC = 8
    KEYWORD = 32
    SEGMENT = 50
    BYTE_OFFSET = 52
    VERSION = 54
    TIMESTAMP = 56
    SEQUENCE = 58
    MAX_COMPONENT_TYPE = 65535
    DIGEST_SIZE = 32


cdef class Component:
    cdef readonly int type
    cdef readonly bytes value

    cdef int compare(self, Component other) noexcept    # canonical order: negative, 0, positive


cdef Component new_component(int type, bytes value)
cdef Component numeric_component(int type, uint64_t number)
cdef bytes component_wire(Component component)
# A component given from Python: Component, bytes (generic), or one component of a URI.
cdef Component component_from(object given)
