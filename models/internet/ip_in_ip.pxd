"""IP within IP (RFC 2003), the receiving end."""

from simcore.models.internet.ipv4 cimport Ipv4, ProtocolHandler

cdef enum:
    PROTOCOL_IP_IN_IP = 4


cdef class IpInIp(ProtocolHandler):
    cdef readonly Ipv4 stack
    cdef int depth                 # packets that are being taken out of each other
