"""Minstrel's statistics, chain and look-around."""

from __future__ import annotations

import random

import pytest

from simcore import ms
from simcore.models.wifi.managers import MinstrelManager

RATES = [6, 9, 12, 18, 24, 36, 48, 54]


def test_attempts_that_fit_into_six_milliseconds(drive):
    probe = drive(MinstrelManager("802.11a"))
    probe.data()
    # 1200 B at 6 Mb/s: 1684 us with SIFS and ACK, 5479 us for two repetitions with back-offs,
    # 8336 us for three. At 54 Mb/s: 244 us; four repetitions 3412 us, five 6023 us.
    counts = probe.station.retry_counts
    assert (counts[0], counts[-1]) == (2, 4)
    assert counts == sorted(counts)


def test_each_column_of_the_sample_table_has_each_rate_once(drive):
    probe = drive(MinstrelManager("802.11a"))
    probe.data()
    columns = list(zip(*probe.station.sample_table, strict=True))
    assert len(columns) == 10
    assert len(set(columns)) > 1
    for column in columns:
        assert sorted(column) == list(range(8))


def test_probabilities_are_averaged_with_three_quarters_of_the_past(sim, drive):
    probe = drive(MinstrelManager("802.11a"))
    draw = random.Random(7)
    expected = [0] * 8
    ever = [0] * 8
    for period in range(1, 30):
        attempts, successes = [0] * 8, [0] * 8
        for _ in range(60):
            # Probability of success falls with the rate.
            rate = RATES.index(round(probe.mbps()))
            attempts[rate] += 1
            if draw.random() < 1 - rate / 12:
                successes[rate] += 1
                probe.ok()
            else:
                probe.fail()
                if not probe.need_retry():
                    probe.give_up()
        sim.run(until=ms(100 * period))
        while True:
            rate = RATES.index(round(probe.mbps()))
            attempts[rate] += 1
            successes[rate] += 1
            probe.ok()
            break
        for rate in range(8):
            if attempts[rate]:
                now = successes[rate] * 18000 // attempts[rate]
                if ever[rate]:
                    now = (25 * now + 75 * expected[rate]) // 100
                expected[rate] = now
            ever[rate] += successes[rate]
        assert probe.station.probabilities == [value / 18000 for value in expected]
    throughputs = probe.station.throughputs
    best = max(range(8), key=throughputs.__getitem__)
    assert throughputs[probe.station.best] == throughputs[best]


def test_one_packet_in_ten_looks_around(sim, drive):
    probe = drive(MinstrelManager("802.11a"))
    first = 0
    for period in range(1, 51):
        for _ in range(100):
            first += probe.mbps() != 54
            probe.ok()
        sim.run(until=ms(100 * period))
    station = probe.station
    assert station.packets == 5000
    # All succeed: slower rates wait behind the best one, and are never needed. Of the sampled
    # packets only those of rates left out for 20 periods begin with another rate.
    assert station.best == 7
    assert first < 0.1 * station.packets
    due = station.packets * 10 // 100
    assert due - (station.samples + station.deferred_samples // 2) <= 16


def test_the_chain_of_a_packet(sim, drive):
    probe = drive(MinstrelManager("802.11a"))
    for period in range(1, 40):
        for _ in range(50):
            if probe.mbps() <= 24:
                probe.ok()
            else:
                probe.fail()
                if not probe.need_retry():
                    probe.give_up()
        sim.run(until=ms(100 * period))
    station = probe.station
    assert RATES[station.best] == 24
    assert RATES[station.second] == 18
    while probe.station.sampling:
        probe.ok()
    counts = station.retry_counts
    best, second, safest = station.best, station.second, station.safest
    rates = []
    while probe.need_retry():
        rates.append(RATES.index(round(probe.mbps())))
        probe.fail()
    chain = (
        [best] * counts[best]
        + [second] * (counts[second] + 1)
        + [safest] * counts[safest]
        + [0] * counts[0]
    )
    assert rates == chain[: len(rates)]
    assert len(rates) == counts[best] + counts[second] + counts[safest] + counts[0]


def test_sampled_rates_are_not_the_current_rate(sim, drive):
    manager = MinstrelManager("802.11a")
    probe = drive(manager)
    seen = []
    manager.trace.rate.connect(lambda new, old: seen.append(new))
    for period in range(1, 30):
        for _ in range(50):
            (probe.ok if probe.mbps() <= 24 else probe.fail)()
            if not probe.need_retry():
                probe.give_up()
        sim.run(until=ms(100 * period))
    del seen[:]
    for _ in range(60):
        sampled = probe.station.sampling
        vector = probe.data()
        assert sampled or manager.current_rate == vector.rate_bps
        (probe.ok if vector.rate_bps <= 24e6 else probe.fail)()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ewma": 101}, "ewma is 101: it must be at most 100 per cent"),
        ({"look_around_rate": -1}, "look_around_rate is -1"),
        ({"sample_columns": 0}, "sample_columns is 0"),
        ({"update_statistics": 0}, "update_statistics is 0 ns"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        MinstrelManager("802.11a", **parameters)
