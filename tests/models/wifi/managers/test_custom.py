"""A manager in Python, and what adaptive managers ask of the devices that they serve."""

from __future__ import annotations

import pytest

from simcore import Simulator, ms, seconds
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import create_nodes
from simcore.models.network.packet import Packet
from simcore.models.propagation import FixedRssLoss
from simcore.models.wifi import install_adhoc
from simcore.models.wifi.managers import (
    AarfcdManager,
    ArfManager,
    CustomRateManager,
    make_manager,
    manager_names,
)
from simcore.models.wifi.phy.txvector import TxVector


class Cautious(CustomRateManager):
    """One rate up after 20 acknowledged frames in a row, one down after each failure."""

    def begin(self, station):
        station.row = 0

    def report_data_ok(self, station, ack_snr, data_snr):
        station.row += 1
        if station.row == 20 and station.rate < len(self.vectors) - 1:
            station.rate += 1
            station.row = 0

    def report_data_failed(self, station):
        station.row = 0
        station.rate = max(0, station.rate - 1)


def pair(manager, rss=-60.0, packets=400, until=1.0, sim=None, **options):
    sim = sim or Simulator(seed=4)
    nodes = create_nodes(sim, 2)
    for x, node in enumerate(nodes):
        ConstantPosition(node, (x, 0))
    devices = install_adhoc(
        nodes, standard="802.11a", manager=manager, loss=FixedRssLoss(rss), **options
    )
    for index in range(packets):
        sim.schedule(
            ms(index), devices[0].send_packet, Packet(sim, 1000), devices[1].address, 0x0800
        )
    sim.run(until=seconds(until))
    return devices


def test_a_manager_in_python_works_its_way_up():
    devices = pair(lambda: Cautious("802.11a"))
    manager = devices[0].mac_layer.manager
    assert manager.current_rate == 54_000_000
    assert devices[0].mac_layer.delivered_count == 400
    assert manager.station_of(devices[1].address).rate == 7


def test_a_manager_in_python_steps_down_where_frames_fail(drive):
    probe = drive(Cautious("802.11a"))
    probe.ok(45)
    assert probe.mbps() == 12
    probe.fail()
    assert probe.mbps() == 9
    assert probe.station.row == 0


def test_every_hook_is_told(drive):
    log = []

    class Curious(CustomRateManager):
        def report_data_ok(self, station, ack_snr, data_snr):
            log.append(("ok", ack_snr, data_snr))

        def report_data_failed(self, station):
            log.append(("failed",))

        def report_final_data_failed(self, station):
            log.append(("given up",))

        def report_rts_ok(self, station, cts_snr, rts_snr):
            log.append(("rts ok", cts_snr, rts_snr))

        def report_rts_failed(self, station):
            log.append(("rts failed",))

        def report_final_rts_failed(self, station):
            log.append(("rts given up",))

        def needs_rts(self, station, size, normally):
            return size > 500

        def needs_retransmission(self, station, normally):
            return False

        def rts_txvector(self, station):
            return self.vectors[2]

    probe = drive(Curious("802.11a"))
    probe.ok(ack_snr=3.0, data_snr=4.0)
    probe.fail()
    probe.give_up()
    probe.rts_ok(cts_snr=5.0, rts_snr=6.0)
    probe.rts_fail()
    probe.rts_give_up()
    assert log == [
        ("ok", 3.0, 4.0),
        ("failed",),
        ("given up",),
        ("rts ok", 5.0, 6.0),
        ("rts failed",),
        ("rts given up",),
    ]
    assert [probe.need_rts(400), probe.need_rts(600)] == [False, True]
    assert not probe.need_retry()
    assert probe.rts().mode.name == "OfdmRate12Mbps"


def test_the_mac_tells_both_snrs():
    snrs = []

    class Curious(CustomRateManager):
        def report_data_ok(self, station, ack_snr, data_snr):
            snrs.append((ack_snr, data_snr))

    devices = pair(lambda: Curious("802.11a"), packets=1)
    [(ack_snr, data_snr)] = snrs
    # -60 dBm over the noise floor of the receiver, the same both ways.
    expected = 1e-9 / devices[0].phy.noise
    assert ack_snr == pytest.approx(expected)
    assert data_snr == pytest.approx(expected)


def test_frames_received_are_reported_to_those_who_ask():
    heard = []

    class Listening(CustomRateManager):
        def report_rx_ok(self, address, snr, txvector):
            heard.append((str(address), txvector.mode.name))

    devices = pair(lambda: Listening("802.11a"), packets=1)
    assert heard == [(str(devices[0].address), "OfdmRate6Mbps")]


def test_what_is_no_txvector_is_refused(drive):
    class Wrong(CustomRateManager):
        answer: object = "OfdmRate6Mbps"

        def data_txvector(self, station, size):
            return self.answer

    probe = drive(Wrong("802.11a"))
    with pytest.raises(TypeError, match="data_txvector returned 'OfdmRate6Mbps'"):
        probe.data()
    probe.manager.answer = TxVector("DsssRate1Mbps")
    with pytest.raises(ValueError, match=r"DsssRate1Mbps, which 802\.11a does not have"):
        probe.data()


def test_an_error_in_a_hook_ends_the_run():
    class Broken(CustomRateManager):
        def report_data_ok(self, station, ack_snr, data_snr):
            raise ZeroDivisionError("in a hook")

    with pytest.raises(ZeroDivisionError, match="in a hook"):
        pair(lambda: Broken("802.11a"))


def test_an_adaptive_manager_serves_one_device():
    with pytest.raises(ValueError, match="this ArfManager serves the device of node 0 already"):
        pair(ArfManager("802.11a"))


def test_the_manager_decides_about_rts():
    # Nobody hears: after the first loss AARF-CD asks for RTS, whatever the threshold says.
    devices = pair(lambda: AarfcdManager("802.11a"), rss=-120.0, packets=1)
    mac = devices[0].mac_layer
    assert mac.rts_tx_count == 6
    assert mac.data_tx_count == 1
    assert mac.drop_count == 1


def test_the_manager_decides_about_repetitions():
    class Once(CustomRateManager):
        def needs_retransmission(self, station, normally):
            return False

    devices = pair(lambda: Once("802.11a"), rss=-120.0, packets=3)
    assert devices[0].mac_layer.data_tx_count == 3
    assert devices[0].mac_layer.drop_count == 3


@pytest.mark.parametrize("name", [n for n in manager_names() if n != "ConstantRate"])
def test_every_bundled_manager_delivers_on_a_good_path(name):
    devices = pair(lambda: make_manager(name, "802.11a"))
    assert devices[0].mac_layer.delivered_count == 400
    assert devices[0].mac_layer.manager.current_rate >= 6_000_000


@pytest.mark.parametrize("name", [n for n in manager_names() if n != "ConstantRate"])
@pytest.mark.parametrize("standard", ["802.11b", "802.11g", "802.11p-10MHz", "802.11p-5MHz"])
def test_every_bundled_manager_knows_the_standards_without_ht(drive, name, standard):
    probe = drive(make_manager(name, standard))
    rates = {vector.rate_bps for vector in probe.manager.vectors}
    for _ in range(60):
        probe.fail()
        assert probe.data().rate_bps in rates
    probe.give_up()
    for _ in range(60):
        probe.ok()
        assert probe.data().rate_bps in rates


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"manager is 'Arff': it must be one of Aarf, .*Arf"):
        make_manager("Arff", "802.11a")
