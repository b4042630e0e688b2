from simcore import Simulator, us
from simcore.models.network import IdealChannel, IdealDevice, ListErrorModel, Packet, create_nodes

ETHERTYPE = 0x1234


def build(count, **options):
    sim = Simulator()
    channel = IdealChannel("10us")
    heard = []
    devices = []
    for node in create_nodes(sim, count):
        devices.append(IdealDevice(node, channel, **options))
        node.listen(
            lambda device, packet, *_, kind=None: heard.append(
                (sim.now(), device.node.id, packet.uid, _[-1])
            ),
        )
    return sim, channel, devices, heard


def test_broadcast_reaches_everybody_else():
    sim, _, devices, heard = build(3)
    devices[0].send_packet(Packet(sim), "ff:ff:ff:ff:ff:ff", ETHERTYPE)
    sim.run()
    assert heard == [(us(10), 1, 1, 1), (us(10), 2, 1, 1)]


def test_unicast_is_heard_by_one_unless_promiscuous():
    sim, _, devices, heard = build(3)
    devices[2].promiscuous = True
    devices[0].send_packet(Packet(sim), devices[1].address, ETHERTYPE)
    sim.run()
    assert heard == [(us(10), 1, 1, 0), (us(10), 2, 1, 3)]


def test_cut_links_and_outcomes():
    sim, channel, devices, heard = build(3)
    channel.chain()
    outcomes = []
    devices[0].on_transmit(
        lambda device, packet, to: outcomes.append(("ok", sim.now(), packet.uid, str(to))),
        lambda device, packet, to, why: outcomes.append((why, sim.now(), packet.uid, str(to))),
    )
    for to in (1, 2):
        devices[0].send_packet(Packet(sim), devices[to].address, ETHERTYPE)
    devices[1].error_model = ListErrorModel(uids=[3])
    devices[0].send_packet(Packet(sim), devices[1].address, ETHERTYPE)
    sim.run()
    assert [node for _, node, *_ in heard] == [1]
    assert outcomes == [
        ("ok", us(10), 1, "00:00:00:00:00:02"),
        ("not received", us(10), 2, "00:00:00:00:00:03"),
        ("not received", us(10), 3, "00:00:00:00:00:02"),
    ]
    channel.join(devices[0], devices[2])
    devices[0].send_packet(Packet(sim), devices[2].address, ETHERTYPE)
    sim.run()
    assert outcomes[-1][0] == "ok"
    channel.cut(devices[0], devices[2])
    devices[0].send_packet(Packet(sim), devices[2].address, ETHERTYPE)
    sim.run()
    assert outcomes[-1][0] == "not received"
