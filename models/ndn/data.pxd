"""Data packets."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.ndn.name cimport Name
from simcore.models.ndn.tlv cimport Element

cdef enum:
    NO_CONTENT = -1


cdef class Data:
    cdef readonly Name name
    cdef readonly int64_t freshness_ms    # 0 when absent
    cdef int32_t size                     # of the wire format, bytes
    cdef int32_t content_size             # bytes of Content, or NO_CONTENT
    cdef readonly int32_t content_type    # 0 Blob, 1 Link, 2 Key, 3 Nack
    cdef int32_t content_offset           # of the content within `wire`
    cdef bytes content_bytes              # None: in `wire`, or as many zero bytes
    cdef bytes final_block_wire           # FinalBlockId's component, encoded, or None
    cdef bytes info                       # value of SignatureInfo; None: DigestSha256's
    cdef bytes signature                  # SignatureValue; None: DigestSha256's, made when asked
    cdef bytes wire                       # what was received or made, or None
    cdef Name full                        # name with the implicit digest, made when asked

    cdef inline int64_t freshness_ns(self) noexcept:
        return (
            self.freshness_ms * 1000000 if self.freshness_ms < (<int64_t>1 << 42)
            else <int64_t>1 << 62
        )

    cdef Name full_name_c(self)
    cpdef bytes to_wire(self)


# Data with a content of `content_size` zero bytes that are not stored.
cdef Data new_data(Name name, int32_t content_size, int64_t freshness_ms)
cdef Data decode_data(Element* packet, bytes wire)
