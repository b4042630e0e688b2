"""What a node does with packets that it did not expect: RFC 4728 8.1.6, 8.6, and plain garbage."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.models.dsr import (
    DEPARTURES,
    AckRequest,
    DestinationFlow,
    DsrHeader,
    DsrParameters,
    FlowStateHeader,
    RouteError,
    RouteReply,
    RouteRequest,
    SourceRoute,
    Timeout,
    UnknownOption,
)
from simcore.models.internet import Ipv4Header
from simcore.models.network.packet import Packet

DSR = 48
UDP = 17
NOTHING = 59


def chain(n):
    return [(i, i + 1) for i in range(n - 1)]


def inject(net, sender, receiver, body, source=None, destination=None):
    """Have a device send a packet of protocol DSR past its node's own DSR."""
    packet = body.push(
        Ipv4Header(
            net.address(sender) if source is None else source,
            net.address(receiver) if destination is None else destination,
            DSR,
            body.size,
        )
    )
    mac = 0xFFFFFFFFFFFF if receiver is None else net.devices[receiver].address
    assert net.devices[sender].send_packet(packet, mac, 0x0800)


def with_option(net, kind, data=b"\x00\x01", **header):
    payload = Packet(net.sim, 8)
    return payload.push(DsrHeader(253, [UnknownOption(kind, data)]))


@pytest.mark.parametrize(
    ("kind", "answered", "kept"),
    [
        # 6.1: bit 0x80 asks for an error, 0x60 says ignore, remove, mark or drop.
        (0x05, False, True),
        (0x25, False, True),
        (0x45, False, True),
        (0x65, False, False),
        (0x85, True, True),
        (0xA5, True, True),
        (0xC5, True, True),
        (0xE5, True, False),
    ],
)
def test_unknown_option(network, kind, answered, kept):
    net = network(2, chain(2))
    delivered = []
    net.nodes[1].ipv4.on_protocol(253, lambda *packet: delivered.append(packet))
    inject(net, 0, 1, with_option(net, kind))
    net.run(1)
    assert bool(delivered) == kept
    errors = net.sent(RouteError, node=1)
    assert len(errors) == answered
    if answered:
        error = errors[0][3].headers[1].error
        assert error.error_type == 3
        assert error.unsupported_option == kind


def test_no_error_about_a_request(network):
    net = network(2, chain(2))
    body = Packet(net.sim, 0).push(
        DsrHeader(NOTHING, [UnknownOption(0x85, b"\x00"), RouteRequest(1, "10.1.1.99")])
    )
    inject(net, 0, None, body, destination="255.255.255.255")
    net.run(1)
    assert net.sent(RouteError) == []
    assert len(net.sent(RouteRequest, node=1)) == 1


def test_marked_option_is_passed_on_marked(network):
    net = network(3, chain(3))
    options = [SourceRoute([net.address(1)], 1), UnknownOption(0x45, b"\x01\x02")]
    body = Packet(net.sim, 8).push(DsrHeader(253, options))
    inject(net, 0, 1, body, destination=net.address(2))
    net.run(1)
    (passed,) = [p for _, node, hop, p in net.log if node == 1 and hop == 3]
    (option,) = [o for o in passed.headers[1].options if isinstance(o, UnknownOption)]
    assert option.data == b"\x81\x02"


def test_removed_option_is_not_passed_on(network):
    net = network(3, chain(3))
    options = [SourceRoute([net.address(1)], 1), UnknownOption(0x25, b"\x01\x02")]
    body = Packet(net.sim, 8).push(DsrHeader(253, options))
    inject(net, 0, 1, body, destination=net.address(2))
    net.run(1)
    (passed,) = [p for _, node, hop, p in net.log if node == 1 and hop == 3]
    assert not any(isinstance(o, UnknownOption) for o in passed.headers[1].options)


def test_flow_state_is_refused(network):
    net = network(2, chain(2))
    inject(net, 0, 1, Packet(net.sim, 8).push(FlowStateHeader(UDP, 0, 7)))
    net.run(1)
    (error,) = [p.headers[1].error for _, _, _, p in net.sent(RouteError, node=1)]
    assert error.error_type == 2
    assert net.agents[1].drops == {"flow state not supported": 1}


def test_bytes_are_understood_as_objects_are(network):
    net = network(3, chain(3))
    body = Packet(net.sim, 8).push(DsrHeader(253, [SourceRoute([net.address(1)], 1)]))
    delivered = []
    net.nodes[2].ipv4.on_protocol(253, lambda segment, *_: delivered.append(segment.size))
    inject(net, 0, 1, Packet(net.sim, body.to_bytes()), destination=net.address(2))
    net.run(1)
    assert delivered == [8]
    assert net.agents[1].forwarded_count == 1


def test_chained_error_goes_on_to_whom_it_concerns(network):
    # 8.3.5: node 1 had sent an error about 2 to 3; now 1 is told that it did not get through.
    net = network(4, [(0, 1), (1, 2), (2, 3)])
    one, three = net.address(1), net.address(3)
    net.agents[1].cache.add([one, net.address(2), three])
    errors = [
        RouteError(1, net.address(0), one, "10.1.1.77", salvage=2),
        RouteError(1, one, three, "10.1.1.88"),
    ]
    inject(net, 0, 1, Packet(net.sim, 0).push(DsrHeader(NOTHING, errors)))
    net.run(6)
    (sent,) = [p for _, node, hop, p in net.sent(RouteError, node=1) if hop == 3]
    assert sent.headers[0].destination == three.value
    assert sent.headers[1].error == errors[1]
    assert sent.headers[1].source_route.salvage == 2


def test_multicast_in_a_route_is_dropped(network):
    net = network(3, chain(3))
    options = [SourceRoute([net.address(1), "224.0.0.1"], 2)]
    body = Packet(net.sim, 8).push(DsrHeader(253, options))
    inject(net, 0, 1, body, destination=net.address(2))
    net.run(1)
    assert net.agents[1].drops == {"misrouted": 1}


def test_data_on_a_request_is_delivered_to_the_target(network):
    net = network(2, chain(2))
    delivered = []
    net.nodes[1].ipv4.on_protocol(253, lambda segment, header, _: delivered.append(header))
    body = Packet(net.sim, 8).push(DsrHeader(253, [RouteRequest(1, net.address(1))]))
    inject(net, 0, None, body, destination="255.255.255.255")
    net.run(1)
    assert [header.destination for header in delivered] == [net.address(1).value]
    assert len(net.sent(RouteReply, node=1)) == 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=80), min_size=1, max_size=5), st.booleans())
def test_hostile_bytes(network, datagrams, flow_state):
    net = network(3, chain(3), flow_state=flow_state)
    for data in datagrams:
        inject(net, 0, 1, Packet(net.sim, data))
        inject(net, 0, 2, Packet(net.sim, data))
    number = net.send(0, 2, at=0.5)
    net.run(5)
    assert number in [tag for _, tag, _ in net.received] or net.route(0, 2) is not None


addresses = st.sampled_from([f"10.1.1.{i}" for i in range(1, 6)] + ["0.0.0.0", "255.255.255.255"])
routes = st.lists(addresses, max_size=5)
options = st.one_of(
    st.builds(RouteRequest, st.integers(0, 3), addresses, routes),
    st.builds(RouteReply, st.lists(addresses, min_size=1, max_size=5)),
    st.builds(RouteError, st.just(1), addresses, addresses, addresses),
    st.builds(
        RouteError,
        st.sampled_from([2, 129, 130]),
        addresses,
        addresses,
        information=st.sampled_from(
            [bytes([10, 1, 1, i, 0, flow]) for i in range(1, 6) for flow in (1, 2)]
        ),
    ),
    st.builds(AckRequest, st.integers(0, 3), addresses),
    st.builds(Timeout, st.integers(0, 3)),
    st.builds(DestinationFlow, st.integers(0, 3), addresses),
    routes.flatmap(
        lambda route: st.builds(
            SourceRoute, st.just(route), st.integers(0, len(route)), st.integers(0, 15)
        )
    ),
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(options, max_size=4, unique_by=type),
    st.sampled_from([UDP, NOTHING, 253]),
    addresses,
    addresses,
    st.sampled_from([None, 0, 1, 2]),
    st.booleans(),
)
def test_hostile_options(network, chosen, next_header, source, destination, flow, flow_state):
    net = network(4, chain(4), flow_state=flow_state)
    body = Packet(net.sim, 8).push(DsrHeader(next_header, chosen))
    if flow is not None:
        body = body.push(FlowStateHeader(DSR, 5, flow))
    inject(net, 1, 2, body, source, destination)
    inject(net, 1, None, body, source, destination)
    # And without source route, on the flow that this may have set up.
    inject(net, 1, 2, Packet(net.sim, 8).push(FlowStateHeader(253, 5, 1)), source, destination)
    # Whatever was believed: nothing fails, and nothing goes round for ever.
    net.sim.run(until=10**9)
    assert len(net.log) < 1000


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("discovery_hop_limit", 0),
        ("discovery_hop_limit", 256),
        ("broadcast_jitter", -1),
        ("broadcast_jitter", 0.01),
        ("request_period", 0),
        ("max_salvage_count", 16),
        ("acknowledgement", "hope"),
        ("flow_timeout", 0),
        ("flow_timeout", 1_500_000_000),
        ("flow_timeout", 65_536_000_000_000),
        ("flow_establishment", 0),
        ("flow_table_size", 0),
        ("cache", "stash"),
    ],
)
def test_bad_parameter_is_named(field, value):
    with pytest.raises(ValueError, match=field):
        DsrParameters(**{field: value})


def test_unknown_departure_is_named():
    with pytest.raises(ValueError, match=r"'sideways'.*late_replies"):
        DsrParameters(departures=("sideways",))


def test_every_default_has_a_source():
    import dataclasses

    for field in dataclasses.fields(DsrParameters):
        assert field.metadata["source"]
        assert field.metadata["help"]
    assert len(DEPARTURES) == 17


def test_one_dsr_per_node(network):
    from simcore.models.dsr import Dsr

    net = network(1, [])
    with pytest.raises(ValueError, match="already"):
        Dsr(net.interfaces[0])
    with pytest.raises(ValueError, match="loopback"):
        Dsr(net.nodes[0].ipv4.interfaces[0])
