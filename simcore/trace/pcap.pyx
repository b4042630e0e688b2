"""Packet captures in the classic pcap format, for Wireshark, tshark and tcpdump."""

from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy

from simcore.trace.block_writer cimport room
from simcore.trace.file_trace cimport FileTrace, check_source, simulator_of, sources_of
from simcore.trace.source cimport TraceSink, TraceSource

from enum import IntEnum

cdef enum:
    # draft-ietf-opsawg-pcap 4: the magic number tells the unit of the time stamps.
    MAGIC_MICROSECONDS = 0xA1B2C3D4
    MAGIC_NANOSECONDS = 0xA1B23C4D
    FILE_HEADER_SIZE = 24
    RECORD_HEADER_SIZE = 16
    # libpcap and Wireshark refuse longer records of these link types.
    MAX_SNAPLEN = 262144

cdef int64_t MAX_TIME_STAMP = 0xFFFFFFFF  # seconds


class LinkType(IntEnum):
    """How the frames of a capture begin (numbers of tcpdump.org/linktypes.html)."""

    ETHERNET = 1
    PPP = 9
    RAW_IP = 101
    IEEE802_11 = 105
    IEEE802_11_RADIOTAP = 127


cdef class PcapTrace(FileTrace):
    """A packet capture.

    Parameters
    ----------
    file : str, os.PathLike or binary file object
        Where to write; a path is created at once.
    link_type : LinkType or int, optional
        What each frame begins with. None takes the first choice of the first device attached.
    nanoseconds : bool, optional
        Unit of the time stamps: nanoseconds, exact, or microseconds, rounded down, as ns-3's
        default and for old readers.
    snaplen : int, optional
        Bytes kept of each frame, 1 to 262,144; a longer one is cut and keeps its true length.
    checksum : str or None, optional
        Algorithm of `digest`; None to compute none.

    Raises
    ------
    OSError
        If the file cannot be created.
    ValueError
        For a link type or snaplen out of range.

    Notes
    -----
    The numbers in the file are little-endian on every machine. A device can be attached if it has
    a simulator (``device.node.sim`` or ``device.sim``) and

    ``pcap_link_types``
        a sequence of the link types that it can give, its preferred one first;
    ``pcap_sources() -> iterable of TraceSource or (TraceSource, encode)``
        what to write about it. The bytes of a frame are ``encode(link_type, a, b, c)`` with the
        arguments of the emission (None for those that it lacks), if `encode` is given; else those
        of the first argument: itself if it is bytes, its ``to_pcap(link_type)``, or its
        ``to_bytes()``. They are asked for once when the same object is emitted several times in
        a row, as in a broadcast, so it must not change.
    """

    cdef readonly object link_type     # LinkType, int, or None while unknown
    cdef readonly uint32_t snaplen
    cdef readonly bint nanoseconds
    cdef FrameCache frames

    def __init__(
        self, file, link_type=None, *, bint nanoseconds=True, snaplen=MAX_SNAPLEN,
        checksum="sha256",
    ):
        if not 1 <= snaplen <= MAX_SNAPLEN:
            raise ValueError(f"snaplen is {snaplen}: it must be 1 to {MAX_SNAPLEN} bytes")
        if link_type is not None:
            link_type = checked_link_type(link_type)
        self.snaplen = snaplen
        self.nanoseconds = nanoseconds
        self.open(file, checksum)
        if link_type is not None:
            self.begin(link_type)

    cdef int begin(self, object link_type) except -1:
        """Write the file header."""
        cdef char* place = room(self.out, FILE_HEADER_SIZE)
        self.link_type = link_type
        put_le32(place, MAGIC_NANOSECONDS if self.nanoseconds else MAGIC_MICROSECONDS)
        put_le32(place + 4, 4 << 16 | 2)  # version 2.4
        put_le32(place + 8, 0)
        put_le32(place + 12, 0)
        put_le32(place + 16, self.snaplen)
        put_le32(place + 20, <uint32_t>link_type)
        self.out.used += FILE_HEADER_SIZE
        return 0

    def attach(self, *devices):
        """Capture the frames of devices, by their ``pcap_sources()``; return the trace.

        Raises
        ------
        TypeError
            If a device has no ``pcap_sources()``, ``pcap_link_types`` or simulator.
        ValueError
            If it cannot give the capture's link type, or belongs to another simulator than the
            devices attached before.
        """
        for device in devices:
            sources = sources_of(device, "pcap_sources")
            choices = getattr(device, "pcap_link_types", None)
            if not choices:
                raise TypeError(f"{device!r} cannot be attached: it has no pcap_link_types")
            if self.link_type is None:
                self.begin(checked_link_type(choices[0]))
            elif self.link_type not in choices:
                raise ValueError(
                    f"{device!r} cannot be written to {self.path!r}: the capture's link type is "
                    f"{self.link_type!r}, the device gives {', '.join(map(repr, choices))}"
                )
            for item in sources:
                source, encode = item if isinstance(item, tuple) else (item, None)
                self.attach_source(source, encode, owner=device)
        return self

    def attach_source(self, source, encode=None, *, owner=None):
        """Capture the emissions of one source; return the trace.

        Parameters
        ----------
        source : TraceSource
            Where frames are emitted.
        encode : callable, optional
            ``encode(link_type, a, b, c) -> bytes``, if the first argument has no method for it.
        owner : object, optional
            Gives the clock by its ``sim`` or ``node.sim``, or is a Simulator; the source's owner
            by default.

        Raises
        ------
        ValueError
            If the link type is not known yet.
        """
        checked = check_source(source)
        if self.link_type is None:
            raise ValueError(
                f"capture {self.path!r} has no link type yet: give PcapTrace one, such as "
                "LinkType.ETHERNET"
            )
        if encode is not None and not callable(encode):
            raise TypeError(f"encode is {encode!r}: it must be callable")
        if owner is None:
            owner = checked.owner
        registry = simulator_of(owner).registry
        self.frames = registry.setdefault("trace.pcap", FrameCache())
        self.connect(checked, PcapRecord(self, encode), owner)
        return self

    cdef int write_frame(self, bytes frame) except -1:
        """Write a record, at the present time."""
        cdef int64_t now = self.sim.now_ns
        cdef int64_t second = now // 1000000000
        cdef uint32_t fraction = <uint32_t>(now % 1000000000)
        cdef Py_ssize_t size = len(frame)
        cdef Py_ssize_t kept = min(size, <Py_ssize_t>self.snaplen)
        cdef const char* data = frame
        cdef char* place
        if second > MAX_TIME_STAMP:
            raise OverflowError(
                f"a time of {second} s does not fit into capture {self.path!r}: "
                f"pcap ends at {MAX_TIME_STAMP} s"
            )
        place = room(self.out, RECORD_HEADER_SIZE + kept)
        put_le32(place, <uint32_t>second)
        put_le32(place + 4, fraction if self.nanoseconds else fraction // 1000)
        put_le32(place + 8, <uint32_t>kept)
        put_le32(place + 12, <uint32_t>size)
        memcpy(place + RECORD_HEADER_SIZE, data, kept)
        self.out.used += RECORD_HEADER_SIZE + kept
        return 0


cdef class FrameCache:
    """The frame that any capture of a simulator encoded last."""

    cdef object frame
    cdef object link_type
    cdef bytes encoded


cdef class PcapRecord(TraceSink):
    """Writes the records of one source."""

    cdef PcapTrace trace
    cdef object encode

    def __cinit__(self, PcapTrace trace not None, encode):
        self.trace = trace
        self.encode = encode

    cdef int notify(self, TraceSource source, object a, object b, object c) except -1:
        cdef PcapTrace trace = self.trace
        cdef FrameCache cache = trace.frames
        if self.encode is not None:
            encoded = self.encode(trace.link_type, a, b, c)
        elif type(a) is bytes:
            encoded = a
        elif a is not None and cache.frame is a and cache.link_type == trace.link_type:
            encoded = cache.encoded
        else:
            encoded = encoded_frame(source, a, trace.link_type)
            if type(encoded) is bytes:
                cache.frame = a
                cache.link_type = trace.link_type
                cache.encoded = <bytes>encoded
        if type(encoded) is not bytes:
            raise TypeError(
                f"a frame of trace source {source.name!r} was encoded as {encoded!r}: "
                "it must be bytes"
            )
        return trace.write_frame(<bytes>encoded)


cdef object encoded_frame(TraceSource source, object frame, object link_type):
    method = getattr(frame, "to_pcap", None)
    if method is not None:
        return method(link_type)
    method = getattr(frame, "to_bytes", None)
    # An int has a to_bytes() that means something else.
    if method is None or isinstance(frame, int):
        raise TypeError(
            f"trace source {source.name!r} emitted {frame!r}: "
            "a capture needs bytes or an object with to_pcap(link_type) or to_bytes()"
        )
    return method()


cdef object checked_link_type(object value):
    cdef int64_t number
    try:
        return LinkType(value)
    except ValueError:
        pass
    try:
        number = value
    except TypeError:
        raise TypeError(f"link_type is {value!r}: it must be a LinkType or an int") from None
    if not 0 <= number <= 0xFFFF:
        raise ValueError(f"link_type is {value}: it must be 0 to 65535")
    return number


cdef inline void put_le32(char* place, uint32_t value) noexcept:
    place[0] = <char>(value & 0xFF)
    place[1] = <char>(value >> 8 & 0xFF)
    place[2] = <char>(value >> 16 & 0xFF)
    place[3] = <char>(value >> 24)
