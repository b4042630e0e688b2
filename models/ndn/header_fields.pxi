# Which header fields a forwarder passes on. Part of forwarder.pyx.

cdef LpFields passed_on(LpFields arrived):
    """Fields of an Interest that go with it upstream: not the token, nor those for this node."""
    cdef LpFields fields
    if not arrived.congestion_mark and not arrived.non_discovery and not arrived.hop_count:
        return None
    fields = new_fields()
    fields.congestion_mark = arrived.congestion_mark
    fields.non_discovery = arrived.non_discovery
    fields.hop_count = arrived.hop_count
    return fields


cdef LpFields answered(LpFields arrived, LpFields asked, Face egress, int64_t ingress):
    """Fields of Data on its way back: what it came with, and the token of who asked."""
    cdef LpFields fields
    cdef bint token = asked is not None and asked.pit_token is not None
    if arrived is None and not token and not egress.is_local:
        return None
    fields = new_fields()
    if arrived is not None:
        fields.congestion_mark = arrived.congestion_mark
        fields.hop_count = arrived.hop_count
        fields.prefix_announcement = arrived.prefix_announcement
        fields.cache_policy = arrived.cache_policy
    if token:
        fields.pit_token = asked.pit_token
    if egress.is_local:
        fields.incoming_face_id = ingress
    return fields
