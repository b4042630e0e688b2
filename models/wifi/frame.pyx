"""802.11 frames and their wire format (802.11-2020 clause 9)."""

cimport cython
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdint cimport int64_t, uint16_t, uint64_t

from simcore.models.network.address cimport format_mac, put_mac
from simcore.models.network.packet cimport new_packet
from simcore.trace.number_text cimport put_uint64, put_word

from binascii import crc32

from simcore.models.network.packet import PacketError

cdef dict TYPE_NAMES = {
    ASSOCIATION_REQUEST: "ASSOCIATION_REQUEST", BEACON: "BEACON", BLOCK_ACK_REQUEST: "BAR",
    BLOCK_ACK: "BLOCK_ACK", RTS: "RTS", CTS: "CTS", ACK: "ACK", DATA: "DATA",
    NULL_DATA: "NULL", QOS_DATA: "QOS_DATA",
}


cdef str data_header_text(WifiFrame frame):
    """The header of a data frame in a text trace, which is made for every one that is sent."""
    cdef char text[320]
    cdef char* at = text
    at += put_word(at, b"ns3::WifiMacHeader (DATA ToDS=")
    at += put_uint64(at, frame.to_ds)
    at += put_word(at, b", FromDS=")
    at += put_uint64(at, frame.from_ds)
    at += put_word(at, b", MoreFrag=")
    at += put_uint64(at, frame.more_fragments)
    at += put_word(at, b", Retry=")
    at += put_uint64(at, frame.retry)
    at += put_word(at, b", MoreData=0 Duration/ID=")
    at += put_uint64(at, frame.duration_us)
    at += put_word(at, b"us, DA=")
    at += put_mac(at, frame.addr1)
    at += put_word(at, b", SA=")
    at += put_mac(at, frame.addr2)
    at += put_word(at, b", BSSID=")
    at += put_mac(at, frame.addr3)
    at += put_word(at, b", FragNumber=")
    at += put_uint64(at, frame.fragment)
    at += put_word(at, b", SeqNumber=")
    at += put_uint64(at, frame.sequence)
    at += put_word(at, b") ")
    return PyUnicode_DecodeASCII(text, at - text, NULL)


cdef uint16_t duration_field(int64_t duration_ns) noexcept:
    """Duration in whole microseconds, rounded up (802.11-2020 9.2.4.2)."""
    cdef int64_t us = (duration_ns + 999) // 1000
    return <uint16_t>(MAX_DURATION_US if us > MAX_DURATION_US else us)


cdef WifiFrame control_frame(FrameType type, uint64_t addr1, uint64_t addr2, int64_t duration_ns):
    cdef WifiFrame frame = WifiFrame.__new__(WifiFrame)
    frame.type = type
    frame.addr1 = addr1
    frame.addr2 = addr2
    frame.duration_us = duration_field(duration_ns)
    frame.size = RTS_SIZE if type == RTS else ACK_SIZE
    return frame


cdef bytes mac_bytes(uint64_t address):
    return int(address).to_bytes(6, "big")


@cython.no_gc
@cython.final
cdef class WifiFrame:
    """One MPDU: header fields and, for data, the packet it carries. Immutable once sent."""

    @property
    def receiver(self):
        """Address 1 (int of 48 bits)."""
        return self.addr1

    @property
    def transmitter(self):
        """Address 2 (int of 48 bits)."""
        return self.addr2

    @property
    def bssid(self):
        """Address 3 (int of 48 bits)."""
        return self.addr3

    @property
    def kind(self):
        """Name of the type: ``"DATA"``, ``"ACK"``, ..."""
        return TYPE_NAMES[self.type]

    cpdef str text(self):
        """One line for ascii traces; made once for all receivers."""
        if self.text_cache is not None:
            return self.text_cache
        name = TYPE_NAMES[self.type]
        if self.type == DATA:
            text = f"{data_header_text(self)}{self.body.text()} ns3::WifiMacTrailer ()"
        elif self.type == RTS:
            text = (
                f"ns3::WifiMacHeader ({name} Duration/ID={self.duration_us}us, "
                f"RA={format_mac(self.addr1)}, TA={format_mac(self.addr2)}) ns3::WifiMacTrailer ()"
            )
        else:
            text = (
                f"ns3::WifiMacHeader ({name} Duration/ID={self.duration_us}us, "
                f"RA={format_mac(self.addr1)}) ns3::WifiMacTrailer ()"
            )
        self.text_cache = text
        return text

    cpdef bytes to_bytes(self):
        """The MPDU as it goes on air, FCS included."""
        if self.bytes_cache is not None:
            return self.bytes_cache
        flags = (
            self.to_ds | self.from_ds << 1 | self.more_fragments << 2 | self.retry << 3
        )
        out = bytearray((self.type, flags))
        out += int(self.duration_us).to_bytes(2, "little")
        out += mac_bytes(self.addr1)
        if self.type == RTS:
            out += mac_bytes(self.addr2)
        elif self.type == DATA:
            out += mac_bytes(self.addr2)
            out += mac_bytes(self.addr3)
            out += (self.sequence << 4 | self.fragment).to_bytes(2, "little")
            body = self.body.to_bytes()
            out += body[self.body_offset:self.body_offset + self.body_size]
        out += crc32(out).to_bytes(4, "little")
        self.bytes_cache = bytes(out)
        return self.bytes_cache

    @staticmethod
    @cython.wraparound(True)
    def parse(data):
        """Read an MPDU with its FCS.

        Parameters
        ----------
        data : bytes-like

        Returns
        -------
        WifiFrame
            The body of a data frame is a packet of plain bytes.

        Raises
        ------
        PacketError
            When it is cut short, has an unknown type, or a wrong FCS.
        """
        cdef WifiFrame frame = WifiFrame.__new__(WifiFrame)
        data = bytes(data)
        if len(data) < ACK_SIZE:
            raise PacketError(f"802.11 frame of {len(data)} bytes: at least {ACK_SIZE} are needed")
        if data[0] & 0x03:
            raise PacketError(f"802.11 protocol version {data[0] & 3}: only 0 is defined")
        if data[0] not in (DATA, RTS, CTS, ACK):
            raise PacketError(f"802.11 type/subtype 0x{data[0]:02x} is not known here")
        frame.type = data[0]
        need = {DATA: DATA_HEADER_SIZE + FCS_SIZE, RTS: RTS_SIZE, CTS: CTS_SIZE, ACK: ACK_SIZE}[
            data[0]
        ]
        if len(data) < need or (frame.type != DATA and len(data) != need):
            raise PacketError(f"802.11 {frame.kind} of {len(data)} bytes: it has {need}")
        if crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
            raise PacketError("802.11 frame check sequence is wrong")
        frame.to_ds = data[1] & 1
        frame.from_ds = data[1] >> 1 & 1
        frame.more_fragments = data[1] >> 2 & 1
        frame.retry = data[1] >> 3 & 1
        if frame.to_ds and frame.from_ds:
            raise PacketError("802.11 frame with four addresses is not supported")
        frame.duration_us = int.from_bytes(data[2:4], "little")
        frame.addr1 = int.from_bytes(data[4:10], "big")
        if frame.type in (RTS, DATA):
            frame.addr2 = int.from_bytes(data[10:16], "big")
        frame.size = len(data)
        if frame.type == DATA:
            frame.addr3 = int.from_bytes(data[16:22], "big")
            control = int.from_bytes(data[22:24], "little")
            frame.fragment = control & 0xF
            frame.sequence = control >> 4
            frame.body = new_packet(0, 0, len(data) - need, data[24:-4], None)
            frame.body_size = frame.body.size
        return frame

    def __repr__(self):
        return f"<WifiFrame {self.text()}>"
