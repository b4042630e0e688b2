import ipaddress
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.models.network import BROADCAST, Ipv4Address, Ipv4Network, MacAddress


def test_mac_forms():
    address = MacAddress("00:1A:2b:3c:4d:5e")
    assert int(address) == 0x001A2B3C4D5E
    assert str(address) == "00:1a:2b:3c:4d:5e"
    assert address == MacAddress(0x001A2B3C4D5E) == MacAddress(address.packed)
    assert MacAddress("00-1a-2b-3c-4d-5e") == address
    assert BROADCAST.is_broadcast
    assert BROADCAST.is_group
    assert MacAddress("01:00:5e:00:00:01").is_group
    assert not address.is_group
    assert len({address, MacAddress(address)}) == 1
    assert pickle.loads(pickle.dumps(address)) == address


@pytest.mark.parametrize(
    "bad",
    ["", "00:00:00:00:00", "00:00:00:00:00:0g", "+1:0:0:0:0:0", -1, 2**48, b"12345", None, 1.5],
)
def test_bad_mac(bad):
    with pytest.raises(ValueError, match="MAC address is"):
        MacAddress(bad)


@given(st.integers(0, 2**48 - 1))
def test_mac_text_round_trip(value):
    assert int(MacAddress(str(MacAddress(value)))) == value


@given(st.integers(0, 2**32 - 1))
def test_ipv4_agrees_with_the_standard_library(value):
    ours, theirs = Ipv4Address(value), ipaddress.IPv4Address(value)
    assert str(ours) == str(theirs)
    assert ours.packed == theirs.packed
    assert ours.is_multicast == theirs.is_multicast
    assert ours.is_loopback == theirs.is_loopback
    assert Ipv4Address(theirs) == ours == Ipv4Address(str(ours))


@pytest.mark.parametrize(
    "bad", ["", "1.2.3", "1.2.3.256", "01.2.3.4", -1, 2**32, True, None, b"123"]
)
def test_bad_ipv4(bad):
    with pytest.raises(ValueError, match="IPv4 address is"):
        Ipv4Address(bad)


def test_network():
    network = Ipv4Network("10.1.1.0/24")
    assert network == Ipv4Network("10.1.1.0/255.255.255.0")
    assert str(network.broadcast) == "10.1.1.255"
    assert str(network.mask) == "255.255.255.0"
    assert str(network.host(7)) == "10.1.1.7"
    assert "10.1.1.9" in network
    assert "10.1.2.9" not in network
    assert str(Ipv4Network("0.0.0.0/0").mask) == "0.0.0.0"
    assert "255.255.255.255" in Ipv4Network("0.0.0.0/0")
    assert Ipv4Network("10.1.1.1/32").host(0) == Ipv4Address("10.1.1.1")
    with pytest.raises(ValueError, match="host number is 256"):
        network.host(256)
    with pytest.raises(ValueError, match=r"network is '10\.1\.1\.1/24'"):
        Ipv4Network("10.1.1.1/24")


def test_addresses_sort():
    assert sorted([Ipv4Address("10.0.0.2"), Ipv4Address("9.0.0.1")])[0] == Ipv4Address("9.0.0.1")
    assert MacAddress(1) < MacAddress(2)
    assert MacAddress(1) != Ipv4Address(1)
