"""The network device of a Wi-Fi station: LLC/SNAP above, MAC and PHY below."""

from libc.stdint cimport uint16_t, uint64_t

from simcore.models.network.llc cimport LlcHeader, llc_header
from simcore.models.network.node cimport (
    TO_BROADCAST, TO_HOST, TO_MULTICAST, TO_OTHER, NetDevice, Node,
)
from simcore.models.network.packet cimport Packet
from simcore.models.wifi.mac.mac cimport MacListener, WifiMac
from simcore.models.wifi.managers.manager cimport RateManager
from simcore.models.wifi.phy.phy cimport WifiPhy
from simcore.whole cimport whole

from simcore.models.network.address import MacAddress
from simcore.models.wifi.radiotap import radiotap_header
from simcore.trace.pcap import LinkType

cdef uint64_t BROADCAST = 0xFFFFFFFFFFFF
cdef uint64_t GROUP_BIT = <uint64_t>1 << 40

cdef enum:
    # Largest MSDU (802.11-2020 table 9-25) less LLC/SNAP.
    WIFI_MTU = 2296


cdef class DevicePort(MacListener):

    cdef int received(
        self, Packet body, uint64_t source, uint64_t destination, bint for_us,
    ) except -1:
        cdef int kind
        if not isinstance(body.header, LlcHeader):
            return 0
        if not for_us:
            kind = TO_OTHER
        elif destination == BROADCAST:
            kind = TO_BROADCAST
        elif destination & GROUP_BIT:
            kind = TO_MULTICAST
        else:
            kind = TO_HOST
        return self.device.deliver(
            body.inner, (<LlcHeader>body.header).ethertype, source, destination, kind
        )

    cdef int sent(self, Packet packet, uint64_t destination) except -1:
        if destination & GROUP_BIT:
            return 0
        return self.device.notify_transmitted(packet, destination)

    cdef int given_up(self, Packet packet, uint64_t destination, str reason) except -1:
        if destination & GROUP_BIT:
            return 0
        return self.device.notify_dropped(packet, destination, reason)


cdef class WifiDevice(NetDevice):
    """A station of an independent BSS (ad hoc mode).

    Parameters
    ----------
    node : Node
    phy : WifiPhy
    manager : RateManager
    address : MacAddress, str or int, optional
    mtu : int
    promiscuous : bool
        Hand up data frames for others too.
    **mac
        Parameters of `WifiMac`.
    """

    def __init__(self, Node node not None, WifiPhy phy not None, RateManager manager not None, *,
                 address=None, mtu=WIFI_MTU, bint promiscuous=False, **mac):
        cdef DevicePort port
        mtu = whole("mtu", mtu)
        if phy.node is not node:
            raise ValueError(f"the PHY belongs to node {phy.node.id}, the device to node {node.id}")
        if isinstance(phy.listener, WifiMac):
            raise ValueError(f"the PHY of node {node.id} has a device already: each needs its own")
        NetDevice.__init__(self, node, mtu, address)
        port = DevicePort()
        port.device = self
        self.phy = phy
        # In an independent BSS without joining, every station uses its own address as BSSID.
        try:
            self.mac_layer = WifiMac(phy, manager, port, self.mac, self.mac, **mac)
        except BaseException:
            # A device without a MAC must not stay on the node.
            node.devices.remove(self)
            raise
        self.mac_layer.promiscuous = promiscuous
        self.trace = self.mac_layer.trace

    @property
    def promiscuous(self):
        """Whether data frames for others are handed up."""
        return self.mac_layer.promiscuous

    @promiscuous.setter
    def promiscuous(self, bint value):
        self.mac_layer.promiscuous = value

    @property
    def bssid(self):
        """BSSID in sent frames."""
        return MacAddress(self.mac_layer.bssid)

    cdef int send(self, Packet packet, uint64_t destination, uint16_t ethertype) except -1:
        return self.mac_layer.enqueue(packet, packet.push_c(llc_header(ethertype)), destination)

    def ascii_sources(self):
        """What `AsciiTrace` attaches to: the PHY's transmissions and receptions, as ns-3 does."""
        base = f"/NodeList/{self.node.id}/DeviceList/{self.index}/$ns3::WifiNetDevice/Phy/State"
        return [
            ("t", self.phy.trace.tx, f"{base}/Tx"),
            ("r", self.phy.trace.rx_ok, f"{base}/RxOk"),
        ]

    @property
    def pcap_link_types(self):
        """What captures can begin a frame with: the 802.11 header, or radiotap before it."""
        return (LinkType.IEEE802_11, LinkType.IEEE802_11_RADIOTAP)

    def pcap_sources(self):
        """What `PcapTrace` attaches to: every frame sent, and received without errors."""
        return [(self.phy.trace.tx, self.encode), (self.phy.trace.rx_ok, self.encode)]

    def encode(self, link_type, ppdu, snr_db=None, power_dbm=None):
        """Return the bytes of a frame for a capture; SNR (dB) and power (dBm) of a reception."""
        data = ppdu.to_bytes()
        if link_type == LinkType.IEEE802_11_RADIOTAP:
            radio = radiotap_header(
                ppdu, self.phy.frequency_mhz, snr_db=snr_db, power_dbm=power_dbm
            )
            return radio + data
        return data
