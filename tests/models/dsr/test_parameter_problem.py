"""ICMP errors of DSR nodes: Segments Left too large (RFC 4728 8.1.5), time to live at its end."""

import pytest

from simcore.models.dsr import DsrHeader, DsrOption, SegmentsLeftError, SourceRoute, UnknownOption
from simcore.models.internet import IcmpHeader, Ipv4Header
from simcore.models.network.packet import Packet

DSR = 48
PARAMETER_PROBLEM = 12
TIME_EXCEEDED = 11


def chain(n):
    return [(i, i + 1) for i in range(n - 1)]


def too_many_segments(net, before=(), next_header=253, payload=b"\x00" * 8):
    """A DSR header whose source route has one address and three segments left."""
    header = DsrHeader(next_header, [*before, SourceRoute([net.address(1)], 1)]).serialize(b"")
    at = header.index(bytes([96, 6])) + 3
    header = header[:at] + b"\x03" + header[at + 1 :]
    return Packet(net.sim, header + payload), at


def inject(net, body, ttl=64, mac=None, destination=None):
    address = net.address(2) if destination is None else destination
    packet = body.push(Ipv4Header(net.address(0), address, DSR, body.size, ttl=ttl))
    assert net.devices[0].send_packet(packet, mac or net.devices[1].address, 0x0800)


def errors_of(net, node=0):
    errors = []
    net.nodes[node].ipv4.icmp.trace.error_received.connect(
        lambda icmp, original, reporter: errors.append((icmp, original, reporter))
    )
    return errors


@pytest.mark.parametrize("before", [(), (UnknownOption(5, b"abc"),)])
def test_pointer_is_at_segments_left(network, before):
    net = network(3, chain(3))
    errors = errors_of(net)
    body, at = too_many_segments(net, before)
    inject(net, body)
    net.run(1)
    ((icmp, original, reporter),) = errors
    assert (icmp.type, icmp.code) == (PARAMETER_PROBLEM, 0)
    assert icmp.identifier >> 8 == 20 + at
    assert icmp.sequence == 0
    assert original.protocol == DSR
    assert original.source == net.address(0).value
    assert reporter == net.address(1)
    assert net.agents[1].drops == {"malformed": 1}
    assert net.agents[2].delivered_count == 0


@pytest.mark.parametrize(("kind", "answered"), [(8, 1), (0, 1), (3, 0), (12, 0)])
def test_no_error_about_an_error(network, kind, answered):
    net = network(3, chain(3))
    errors = errors_of(net)
    icmp = IcmpHeader(kind).serialize(b"")
    inject(net, too_many_segments(net, next_header=1, payload=icmp)[0])
    net.run(1)
    assert len(errors) == answered


def test_no_error_about_what_came_to_all(network):
    net = network(3, chain(3))
    errors = errors_of(net)
    inject(net, too_many_segments(net)[0], mac=0xFFFFFFFFFFFF)
    inject(net, too_many_segments(net)[0], destination="10.1.1.255")
    net.run(1)
    assert errors == []


def test_pointer_that_does_not_fit_is_not_sent(network):
    net = network(3, chain(3))
    errors = errors_of(net)
    inject(net, too_many_segments(net, [UnknownOption(5, bytes(250))])[0])
    net.run(1)
    assert errors == []
    assert net.agents[1].drops == {"malformed": 1}


def test_offset_of_an_option():
    with pytest.raises(SegmentsLeftError) as caught:
        DsrOption.parse(bytes.fromhex("6006 0002 0a000002"))
    assert caught.value.offset == 3


def test_ttl_at_its_end_is_told_to_the_source(network):
    net = network(3, chain(3))
    errors = errors_of(net)
    body = Packet(net.sim, 8)
    body = body.push(DsrHeader(17, [SourceRoute([net.address(1)], 1)]))
    inject(net, body, ttl=1)
    net.run(1)
    ((icmp, original, _),) = errors
    assert (icmp.type, icmp.code) == (TIME_EXCEEDED, 0)
    # As the transport protocol sent it.
    assert original.protocol == 17
    assert net.agents[1].drops == {"TTL expired": 1}
