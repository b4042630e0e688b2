"""The MAC of one station: frame exchanges over DCF, and what it receives."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from simcore.models.network.packet cimport Packet
from simcore.models.wifi.frame cimport WifiFrame
from simcore.models.wifi.mac.access cimport AccessListener, ChannelAccess, Txop
from simcore.models.wifi.mac.queue cimport QueueEntry, WifiMacQueue
from simcore.models.wifi.mac.receiver cimport Receiver
from simcore.models.wifi.managers.manager cimport RateManager
from simcore.models.wifi.phy.phy cimport PhyListener, WifiPhy
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.simulator cimport NativeTimer, Simulator
from simcore.trace.source cimport TraceSource

cdef enum ExchangeState:
    NOTHING_SENT
    GROUP_SENT                     # a group-addressed frame is on the air
    WAIT_FOR_CTS
    WAIT_FOR_ACK
    DATA_AFTER_CTS                 # SIFS before the data
    FRAGMENT_AFTER_ACK             # SIFS before the next fragment


cdef class WifiMac


cdef class MacListener:
    """The device, as the MAC sees it."""
    cdef int received(
        self, Packet body, uint64_t source, uint64_t destination, bint for_us,
    ) except -1
    cdef int sent(self, Packet packet, uint64_t destination) except -1
    cdef int given_up(self, Packet packet, uint64_t destination, str reason) except -1


cdef class AccessPort(AccessListener):
    cdef WifiMac mac


cdef class WifiMac(PhyListener):
    cdef readonly Simulator sim
    cdef readonly WifiPhy phy
    cdef readonly RateManager manager
    cdef readonly ChannelAccess access
    cdef readonly Txop dcf
    cdef Receiver receiver
    cdef MacListener owner
    cdef uint64_t address
    cdef uint64_t bssid
    cdef readonly int32_t rts_threshold            # MPDU bytes above which RTS is used
    cdef readonly int32_t fragmentation_threshold  # MPDU bytes of a fragment at most
    cdef readonly int32_t retry_limit              # transmissions of a frame
    cdef readonly bint keep_window_after_drop
    cdef bint promiscuous
    cdef uint16_t next_sequence

    cdef ExchangeState state
    cdef Txop txop                         # whose exchange is under way
    cdef WifiFrame data_frame              # the data frame of the exchange
    cdef TxVector data_vector
    cdef NativeTimer timeout               # for CTS or ACK
    cdef NativeTimer sifs_timer            # own frame SIFS after another of the exchange
    cdef NativeTimer response_timer        # ACK or CTS SIFS after what it answers
    cdef NativeTimer nav_timer             # NAV reset after an RTS, 802.11-2020 10.3.2.4
    cdef NativeTimer arrival_timer         # a packet met an empty queue at this instant
    cdef WifiFrame response
    cdef TxVector response_vector
    cdef list expired

    cdef readonly int64_t data_tx_count
    cdef readonly int64_t group_tx_count
    cdef readonly int64_t rts_tx_count
    cdef readonly int64_t cts_tx_count
    cdef readonly int64_t ack_tx_count
    cdef readonly int64_t data_retry_count  # of the data frames, with the Retry bit
    cdef readonly int64_t retry_count      # failed attempts, from whatever cause
    cdef readonly int64_t ack_timeout_count
    cdef readonly int64_t cts_timeout_count
    cdef readonly int64_t drop_count       # given up after the retry limit
    cdef readonly int64_t acked_count      # frames acknowledged, fragments too
    cdef readonly int64_t delivered_count  # packets acknowledged
    cdef readonly object trace
    cdef TraceSource enqueue_trace
    cdef TraceSource drop_trace
    cdef TraceSource tx_trace
    cdef TraceSource rx_trace
    cdef TraceSource retry_trace

    cdef int enqueue(self, Packet packet, Packet body, uint64_t destination) except -1
    cdef bint start(self, Txop txop) except -1
    cdef int send_data(self) except -1
    cdef int send_rts(self) except -1
    cdef int transmit(self, WifiFrame frame, TxVector v) except -1
    cdef int succeed(self) except -1
    cdef int fail(self, bint missed_ack) except -1
    cdef int finish(self) except -1
    cdef int sweep(self, Txop txop) except -1
    cdef int drop(self, QueueEntry entry, str reason) except -1
    cdef int drop_expired(self) except -1
    cdef int on_timeout(self) except -1
    cdef int after_sifs(self) except -1
    cdef int send_response(self) except -1
    cdef int on_nav_timer(self) except -1
    cdef int answer(self, WifiFrame response, TxVector v, double snr) except -1
    cdef int for_us(self, WifiFrame frame, Ppdu ppdu, double snr) except -1
    cdef int update_nav(self, WifiFrame frame, Ppdu ppdu) except -1
    cdef int take_data(self, WifiFrame frame, bint for_us) except -1
    cdef WifiFrame next_data_frame(self, QueueEntry entry, TxVector v)
    cdef int64_t response_duration(self, TxVector v, int32_t size) noexcept
    cdef int64_t rest_of(self, WifiFrame frame, TxVector response, int32_t size) noexcept
    cdef int64_t timeout_after(self, TxVector response) noexcept
