import pytest

from simcore import Simulator
from simcore.models.mobility import ConstantPosition
from simcore.models.network import NetDevice, Node, create_nodes, nodes_of
from simcore.models.propagation import ConstantSpeedDelay, RangeLoss
from simcore.models.wifi import WifiChannel
from simcore.models.wifi.phy.phy import WifiPhy


def test_numbers_belong_to_the_simulator():
    first, second = Simulator(), Simulator()
    nodes = create_nodes(first, 3)
    assert [node.id for node in nodes] == [0, 1, 2]
    assert nodes_of(first) == nodes
    assert Node(second).id == 0
    with pytest.raises(ValueError, match="count is -1"):
        create_nodes(first, -1)


def test_devices_get_addresses_in_order():
    nodes = create_nodes(Simulator(), 2)
    devices = [NetDevice(nodes[0]), NetDevice(nodes[1]), NetDevice(nodes[0], mtu=2304)]
    assert [str(device.address) for device in devices] == [
        "00:00:00:00:00:01",
        "00:00:00:00:00:02",
        "00:00:00:00:00:03",
    ]
    assert [device.index for device in devices] == [0, 0, 1]
    assert nodes[0].devices == [devices[0], devices[2]]
    assert devices[2].mtu == 2304
    with pytest.raises(ValueError, match="mtu is 67"):
        NetDevice(nodes[0], mtu=67)
    with pytest.raises(ValueError, match="group address"):
        NetDevice(nodes[0], address="ff:ff:ff:ff:ff:ff")
    assert len(nodes[0].devices) == 2


def test_nodes_take_protocols_and_positions():
    node = Node(Simulator())
    assert node.mobility is None
    assert node.ipv4 is None
    place = ConstantPosition(node.sim, (1.0, 2.0, 0.0))
    node.mobility = place
    node.dsr = "routing"
    assert (node.mobility, node.dsr) == (place, "routing")
    with pytest.raises(TypeError, match="node 0 is 'here': it must be a MobilityModel"):
        node.mobility = "here"
    with pytest.raises(ValueError, match="another simulator"):
        node.mobility = ConstantPosition(Simulator())
    assert node.mobility is place


def test_a_position_that_a_device_relies_on_cannot_be_replaced():
    sim = Simulator()
    node = Node(sim)
    place = ConstantPosition(node)
    channel = WifiChannel(sim, RangeLoss(100.0), ConstantSpeedDelay())
    refused = "mobility of node 0 cannot be replaced: its Wi-Fi PHY"
    WifiPhy(node, channel)
    with pytest.raises(ValueError, match=refused):
        node.mobility = ConstantPosition(sim, (5.0, 0.0, 0.0))
    with pytest.raises(ValueError, match=refused):
        ConstantPosition(node, (5.0, 0.0, 0.0))
    with pytest.raises(ValueError, match=refused):
        node.mobility = None
    node.mobility = place
    place.position = (5.0, 0.0, 0.0)
    assert node.mobility.position == (5.0, 0.0, 0.0)


def test_a_registry_entry_of_another_kind_is_refused():
    sim = Simulator()
    sim.registry["network"] = {}
    with pytest.raises(TypeError, match="NetworkState"):
        create_nodes(sim, 2)
