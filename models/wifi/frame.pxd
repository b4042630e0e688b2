"""802.11 frames (MPDUs): shared by the PHY, which carries them, and the MAC, which means them."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

from simcore.models.network.packet cimport Packet

cdef enum FrameType:
    # Type and subtype, 802.11-2020 table 9-1: subtype in bits 7..4, type in bits 3..2.
    ASSOCIATION_REQUEST = 0x00
    BEACON = 0x80
    BLOCK_ACK_REQUEST = 0x84
    BLOCK_ACK = 0x94
    RTS = 0xB4
    CTS = 0xC4
    ACK = 0xD4
    DATA = 0x08
    NULL_DATA = 0x48
    QOS_DATA = 0x88

cdef enum:
    DATA_HEADER_SIZE = 24          # three addresses, 802.11-2020 9.3.2.1
    FCS_SIZE = 4
    ACK_SIZE = 14                  # 802.11-2020 9.3.1.4, FCS included
    CTS_SIZE = 14                  # 9.3.1.3
    RTS_SIZE = 20                  # 9.3.1.2
    MAX_DURATION_US = 32767        # 9.2.4.2


cdef class WifiFrame:
    cdef readonly FrameType type
    cdef readonly bint to_ds
    cdef readonly bint from_ds
    cdef readonly bint more_fragments
    cdef readonly bint retry
    cdef readonly uint8_t fragment         # fragment number
    cdef readonly uint16_t sequence        # sequence number, 12 bits
    cdef readonly uint16_t duration_us     # Duration field
    cdef uint64_t addr1                    # receiver
    cdef uint64_t addr2                    # transmitter
    cdef uint64_t addr3                    # BSSID in ad hoc mode
    cdef readonly int32_t size             # bytes, header and FCS included
    cdef readonly Packet body              # what a data frame carries, or None
    cdef readonly int32_t body_offset      # where a fragment starts within the body
    cdef readonly int32_t body_size        # how much of it the frame carries
    # Of an ACK or CTS: SNR (a ratio) of the frame that it answers. It is not on the air: rate
    # managers that suppose such feedback read it.
    cdef double answered_snr
    cdef str text_cache
    cdef bytes bytes_cache

    cpdef str text(self)
    cpdef bytes to_bytes(self)


cdef WifiFrame control_frame(FrameType type, uint64_t addr1, uint64_t addr2, int64_t duration_ns)
cdef uint16_t duration_field(int64_t duration_ns) noexcept
