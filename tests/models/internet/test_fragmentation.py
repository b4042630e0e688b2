from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator, seconds
from simcore.models.internet import AddressAllocator, Ipv4Header, UdpSocket, install_internet
from simcore.models.network import Packet, PointToPointLink, create_nodes

IPV4 = 0x0800


def build(**link):
    sim = Simulator()
    nodes = create_nodes(sim, 2)
    install_internet(nodes)
    joined = PointToPointLink(*nodes, **link)
    AddressAllocator("10.1.1.0/24").assign(joined.devices)
    heard, drops = [], []
    nodes[1].ipv4.on_protocol(200, lambda packet, header, interface: heard.append((packet, header)))
    nodes[1].ipv4.trace.drop.connect(lambda packet, reason, interface: drops.append(reason))
    return sim, nodes, joined, heard, drops


@given(st.integers(0, 9000), st.integers(68, 1600))
@settings(max_examples=60, deadline=None)
def test_any_size_over_any_mtu(size, mtu):
    sim, (a, _), link, heard, _ = build(mtu=mtu, queue_packets=0)
    sizes = []
    link.devices[0].trace.tx.connect(lambda frame: sizes.append(frame.inner))
    segment = Packet(sim, size, tag="mine")
    a.ipv4.send_packet(segment, "10.1.1.2", 200)
    sim.run()
    # The very object that was sent, not a copy of its bytes.
    assert [packet for packet, _ in heard] == [segment]
    assert max(packet.size for packet in sizes) <= mtu
    assert sum(packet.header.payload_size for packet in sizes) == size
    assert all(packet.header.offset % 8 == 0 for packet in sizes)
    assert heard[0][1].payload_size == size
    assert not heard[0][1].more_fragments


def test_fragments_of_bytes_and_headers():
    sim, (a, b), _, _, _ = build(mtu=576)
    heard = []
    socket = UdpSocket(b)
    socket.bind(9)
    socket.on_receive(lambda payload, source, port: heard.append(payload))
    content = bytes(range(256)) * 8
    UdpSocket(a).send_to(Packet(sim, content), "10.1.1.2", 9)
    sim.run()
    assert [payload.to_bytes() for payload in heard] == [content]


def test_dont_fragment(line):
    sim, nodes, links = line(3)
    narrow = create_nodes(sim, 1)
    install_internet(narrow)
    link = PointToPointLink(nodes[2], narrow[0], mtu=600)
    AddressAllocator("10.1.3.0/24").assign(link.devices)
    nodes[1].ipv4.routing.add_route("10.1.3.0/24", "10.1.2.2")
    nodes[2].ipv4.routing.set_default_route("10.1.2.1")
    errors, drops = [], []
    nodes[2].ipv4.trace.drop.connect(lambda packet, reason, interface: drops.append(reason))
    nodes[0].ipv4.icmp.trace.error_received.connect(
        lambda icmp, header, reporter: errors.append((icmp.code, icmp.sequence, str(reporter)))
    )
    header = Ipv4Header("10.1.1.1", "10.1.3.2", 200, 1400, dont_fragment=True)
    links[0].devices[0].send_packet(Packet(sim, 1400).push(header), 0, IPV4)
    sim.run()
    assert drops == ["too large, and not to be fragmented"]
    assert errors == [(4, 600, "10.1.2.2")]


def pieces_of(content, cuts, **fields):
    """Datagrams that carry `content` in pieces from and to multiples of eight bytes."""
    made = []
    for start, stop in cuts:
        stop = min(stop, len(content))
        body = content[start:stop]
        made.append(
            Ipv4Header(
                "10.1.1.1",
                "10.1.1.2",
                200,
                len(body),
                identification=7,
                offset=start,
                more_fragments=stop < len(content),
                **fields,
            ).serialize(body)
        )
    return made


@given(st.data(), st.binary(min_size=1, max_size=400))
@settings(max_examples=100, deadline=None)
def test_pieces_in_any_order_with_overlaps_and_duplicates(data, content):
    units = -(-len(content) // 8)
    bounds = data.draw(st.sets(st.integers(1, units), max_size=6)) | {0, units}
    edges = sorted(bounds)
    cuts = [(8 * a, 8 * b) for a, b in pairwise(edges)]
    extra = data.draw(
        st.lists(st.tuples(st.integers(0, units - 1), st.integers(1, units)), max_size=4)
    )
    cuts += [(8 * a, 8 * min(units, a + size)) for a, size in extra]
    cuts = data.draw(st.permutations(cuts))
    sim, _, link, heard, _ = build()
    for piece in pieces_of(content, cuts):
        link.devices[0].send_packet(Packet(sim, piece), 0, IPV4)
    sim.run(seconds(1))
    assert heard
    assert all(packet.to_bytes() == content for packet, _ in heard)


def test_a_missing_piece_times_out_after_30_s():
    sim, nodes, link, heard, drops = build()
    errors = []
    nodes[0].ipv4.icmp.trace.error_received.connect(
        lambda icmp, header, reporter: errors.append((icmp.type, icmp.code, sim.now()))
    )
    first, _, last = pieces_of(bytes(240), [(0, 80), (80, 160), (160, 240)])
    for piece in (first, last):
        link.devices[0].send_packet(Packet(sim, piece), 0, IPV4)
    sim.run(seconds(29))
    assert drops == []
    sim.run()
    assert heard == []
    assert drops == ["fragment timeout"]
    assert [error[:2] for error in errors] == [(11, 1)]
    assert seconds(30) < errors[0][2] < seconds(31)
    # Without the first fragment there is nobody to tell.
    link.devices[0].send_packet(Packet(sim, last), 0, IPV4)
    sim.run()
    assert drops == ["fragment timeout"] * 2
    assert len(errors) == 1


def test_hostile_fragments():
    sim, (_, b), link, heard, drops = build(queue_packets=0)

    def fragment(size, offset, more, number=1):
        header = Ipv4Header(
            "10.1.1.1",
            "10.1.1.2",
            200,
            size,
            identification=number,
            offset=offset,
            more_fragments=more,
        )
        link.devices[0].send_packet(Packet(sim, size).push(header), 0, IPV4)

    # A size that is no multiple of eight before the end; a datagram of more than 65,535 bytes.
    fragment(13, 0, True)
    fragment(1000, 65528, False)
    sim.run(seconds(1))
    assert drops == ["malformed"] * 2
    # An end that contradicts an earlier one is passed over.
    fragment(80, 0, True)
    fragment(80, 160, False)
    fragment(40, 80, False)
    fragment(80, 80, True)
    sim.run(seconds(2))
    assert [packet.size for packet, _ in heard] == [240]
    # More unfinished datagrams than there is room for: the newest still works.
    for number in range(3000):
        fragment(8, 8, False, number)
    fragment(8, 0, True, 2999)
    sim.run(seconds(10))
    assert len(heard) == 2
    assert b.ipv4.reassembly_timeout == seconds(30)


def test_options_that_are_not_copied_stay_in_the_first_fragment():
    sim, (a, b), link, heard, _ = build(mtu=68)
    # Loose source route (copied), a record route (not copied), no-operation, end.
    options = bytes([0x83, 3, 4, 0x07, 3, 4, 1, 0])
    sizes = []
    link.devices[0].trace.tx.connect(lambda frame: sizes.append(frame.inner.header.options))
    header = Ipv4Header("10.1.9.9", "10.1.1.2", 200, 100, options=options)
    source = create_nodes(sim, 1)
    install_internet(source)
    uplink = PointToPointLink(source[0], a)
    AddressAllocator("10.1.2.0/24").assign(uplink.devices)
    uplink.devices[0].send_packet(Packet(sim, 100).push(header), 0, IPV4)
    sim.run()
    assert sizes[0] == options
    assert set(sizes[1:]) == {bytes([0x83, 3, 4, 0])}
    assert [packet.size for packet, _ in heard] == [100]
    assert heard[0][1].options == options
    assert b.ipv4 is not None


def test_bytes_too_many():
    sim, (a, _), _, _, _ = build()
    with pytest.raises(ValueError, match="65508 bytes"):
        UdpSocket(a).send_to(Packet(sim, 65508), "10.1.1.2", 9)
    assert UdpSocket(a).send_to(Packet(sim, 65507), "10.1.1.2", 9)
