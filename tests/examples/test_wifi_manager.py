"""wifi-manager against ns-3's curves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from examples.wifi_manager import WifiManager
from simcore.scenario import ParameterError

REFERENCE = Path(__file__).parents[1] / "reference/ns3/wifi_manager"
STANDARDS = ("802.11a", "802.11b", "802.11g", "802.11p-10MHz", "802.11p-5MHz")
# At 0 dB, -100.97 dBm, DSSS frames in 802.11g lie between the sensitivity for 20 MHz, -101 dBm, and
# that for 22 MHz, which ns-3 asks of them.
EDGE = {("802.11g", 0.0)}
# ns-3.44 lists the four rates of an ad hoc 802.11b station twice, so that the next one above 11 is
# 1 Mb/s. AMRR, which stays a second at each, shows it from the fifth step on; the faster ones pass.
COMPARABLE = {"11b-Amrr": 4}
# One packet in a step of a second: what the start and the end of a step may shift.
PACKET_MBPS = 1024 * 8 / 1e6


def reference(name):
    content = json.loads((REFERENCE / f"{name}.json").read_text())
    return content["parameters"], [tuple(row) for row in content["rows"]]


def names(kind):
    for path in sorted(REFERENCE.glob("*.json")):
        parameters, _ = reference(path.stem)
        manager = parameters.get("manager")
        found = (
            "constant"
            if path.stem.startswith("const-")
            else "ideal"
            if manager == "Ideal"
            else "adaptive"
        )
        if parameters["standard"] in STANDARDS and found == kind:
            yield path.stem


def curve(parameters, seed=1, **options):
    options |= {
        name: float(parameters[name]) for name in ("step_time", "step_size") if name in parameters
    }
    if "data_mode" in parameters:
        options |= {"manager": "ConstantRate", "data_mode": parameters["data_mode"]}
    else:
        options["manager"] = parameters["manager"]
    results = WifiManager(standard=parameters["standard"], **options).run(seed=seed)
    table = results.tables["rate_vs_snr"]
    return list(
        zip(
            table["snr_db"].to_pylist(),
            table["selected_rate_mbps"].to_pylist(),
            table["throughput_mbps"].to_pylist(),
            strict=True,
        )
    )


@pytest.mark.parametrize("name", list(names("ideal")))
def test_ideal_selects_the_same_rate_at_every_step(name):
    parameters, expected = reference(name)
    rows = curve(parameters)
    assert [row[:2] for row in rows] == [row[:2] for row in expected]
    for ours, theirs in zip(rows, expected, strict=True):
        if (parameters["standard"], theirs[0]) not in EDGE:
            assert ours[2] == pytest.approx(theirs[2], rel=0.03, abs=2 * PACKET_MBPS), theirs


@pytest.mark.validation
@pytest.mark.parametrize("name", list(names("constant")))
def test_constant_rates_deliver_as_much_at_every_step(name):
    parameters, expected = reference(name)
    rows = curve(parameters)
    assert [row[0] for row in rows] == [row[0] for row in expected]
    top = max(row[2] for row in expected)
    for (snr_db, _, ours), (_, _, theirs) in zip(rows, expected, strict=True):
        # Where frames fail, a tenth of a decibel and the draws decide.
        steep = theirs < 0.97 * top
        assert abs(ours - theirs) <= (0.06 if steep else 0.03) * top, snr_db


def large_steps(values, share):
    """Index and direction of steps by more than a share of the highest value."""
    top = max(values)
    return {
        i: values[i + 1] > values[i]
        for i in range(len(values) - 1)
        if abs(values[i + 1] - values[i]) > share * top
    }


@pytest.mark.validation
@pytest.mark.parametrize("name", list(names("adaptive")))
def test_adaptive_managers_deliver_as_much_over_the_curve(name):
    parameters, expected = reference(name)
    theirs = [row[2] for row in expected]
    theirs = theirs[: COMPARABLE.get(name)]
    curves = [
        [row[2] for row in curve(parameters, seed)][: COMPARABLE.get(name)] for seed in range(1, 6)
    ]
    ours = [sum(values) / len(values) for values in zip(*curves, strict=True)]
    assert sum(ours) == pytest.approx(sum(theirs), rel=0.08)
    for index, up in large_steps(theirs, 0.1).items():
        assert (ours[index + 1] > ours[index]) == up, expected[index]


def test_metrics_and_table():
    results = WifiManager(manager="Arf", step_size=8.0, step_time=0.6).run(seed=1)
    assert results.tables["rate_vs_snr"]["snr_db"].to_pylist() == [27, 19, 11, 3]
    metrics = results.metrics
    assert metrics["rx_bytes"] % 1024 == 0
    assert metrics["tx_frames"] >= metrics["rx_bytes"] // 1024
    assert metrics["retries"] > 0


def test_broadcast_goes_at_the_lowest_rate_and_is_not_repeated():
    results = WifiManager(step_size=12.0, step_time=0.6, broadcast=True).run(seed=1)
    assert results.metrics["retries"] == 0
    assert max(results.tables["rate_vs_snr"]["throughput_mbps"].to_pylist()) < 6


def test_rts_for_every_frame_costs_throughput():
    results = [
        WifiManager(step_size=12.0, step_time=0.6, rts_threshold=threshold).run(seed=1)
        for threshold in (0, 999_999)
    ]
    assert results[0].metrics["rx_bytes"] < 0.95 * results[1].metrics["rx_bytes"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"manager": "Best"}, "manager is 'Best': it must be one of Aarf"),
        ({"manager": "ConstantRate"}, "data-mode goes with manager ConstantRate"),
        ({"data_mode": "OfdmRate6Mbps"}, "data-mode goes with manager ConstantRate"),
        ({"infrastructure": True}, "infrastructure is not available yet"),
        ({"step_time": 0.0}, "step.time"),
        ({"step_size": -1.0}, "step.size"),
        ({"standard": "802.11z"}, "standard"),
    ],
)
def test_what_cannot_be_run_is_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        WifiManager(**parameters).run(seed=1)
