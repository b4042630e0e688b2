"""The stored ns-3 numbers belong to the cases that the generator defines, and are consistent."""

import importlib
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PEERS = ROOT / "profiling" / "peers"
REFERENCE = ROOT / "tests" / "reference" / "ns3"
GROUPS = ("chain", "grid", "hidden", "saturation")


@pytest.fixture(scope="module")
def generator():
    sys.path.insert(0, str(PEERS))
    try:
        yield importlib.import_module("make_reference")
    finally:
        sys.path.remove(str(PEERS))


def stored(group):
    return json.loads((REFERENCE / f"adhoc_{group}.json").read_text())


@pytest.mark.parametrize("group", GROUPS)
def test_stored_parameters_are_those_of_the_generator(generator, group):
    defined = json.loads(json.dumps(generator.GROUPS[group]()))
    found = [{"name": c["name"], "parameters": c["parameters"]} for c in stored(group)["cases"]]
    assert found == defined


@pytest.mark.parametrize("group", GROUPS)
def test_counts_of_frames_and_packets_agree(group):
    document = stored(group)
    assert document["cases"]
    for case in document["cases"]:
        assert len(case["runs"]) == len(document["run_numbers"])
        for run in case["runs"]:
            totals = run["totals"]
            # Each attempt was acknowledged, timed out, or is the one under way at the end.
            under_way = totals["data"] - totals["acked"] - totals["ack_timeout"]
            assert 0 <= under_way <= len(case["parameters"]["positions_m"]), case["name"]
            assert totals["data_retry"] <= totals["ack_timeout"], case["name"]
            assert totals["rts"] == 0 or totals["cts"] <= totals["rts"], case["name"]
            for stream in run["flows"]:
                assert stream["received"] + stream["duplicates"] <= stream["sent"], case["name"]


@pytest.mark.parametrize(("hops", "microseconds"), [(1, 1016.667), (2, 2246.334), (3, 3476.001)])
def test_idle_chain_takes_the_time_that_the_interframe_spaces_give(hops, microseconds):
    # DIFS + frame per hop, and at each relay the SIFS and ACK that its forwarding has to wait for.
    frame, difs, sifs, ack, propagation = 966.0, 50.0, 10.0, 203.0, 0.667
    expected = hops * (difs + frame + propagation) + (hops - 1) * (sifs + ack)
    assert expected == pytest.approx(microseconds)
    case = next(c for c in stored("chain")["cases"] if c["name"] == f"chain-{hops}-light")
    for run in case["runs"]:
        assert run["flows"][0]["delay_p50_s"] * 1e6 == pytest.approx(microseconds, abs=1e-3)


def test_runs_of_the_dsr_example_count_packets_once():
    document = json.loads((REFERENCE / "dsr_runs.json").read_text())
    runs = [run for variant in document["variants"] for run in variant["runs"]]
    assert runs
    for run in runs:
        assert run["tx_packets"] == 3990
        assert run["rx_by_last_hop"] <= run["rx_copies"]
        assert run["rx_packets"] <= run["rx_copies"]
        assert run["delivery_ratio"] == pytest.approx(run["rx_packets"] / 3990, abs=1e-6)
    # ns-3's own example with its ascii trace gave these for seed 10, run 1.
    first = document["variants"][0]["runs"][0]
    assert (first["events"], first["phy_tx"], first["rx_copies"]) == (15279301, 112682, 2049)
