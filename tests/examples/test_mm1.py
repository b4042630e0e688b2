"""The queue example agrees with the closed formulas within its 99 % confidence intervals."""

import math

import pytest

from simcore.examples.mm1 import Mm1, erlang_c, pollaczek_khinchine
from simcore.stats import confidence_interval

CASES = {
    "M/M/1 at 50 %": {"mean_service": 0.5},
    "M/M/1 at 80 %": {"mean_service": 0.8},
    "M/M/2": {"servers": 2, "mean_service": 1.4},
    "M/M/5": {"servers": 5, "mean_service": 4.0},
    "M/D/1": {"service": "deterministic", "mean_service": 0.7},
    "M/G/1, gamma": {"service": "gamma", "service_cv": 0.5, "mean_service": 0.8},
    "M/G/1, gamma with a long tail": {"service": "gamma", "service_cv": 1.5, "mean_service": 0.6},
    "M/G/1, lognormal": {"service": "lognormal", "service_cv": 1.0, "mean_service": 0.6},
}


@pytest.mark.parametrize("parameters", CASES.values(), ids=CASES)
def test_agrees_with_the_formulas(parameters):
    scenario = Mm1(total_time="6000s", warm_up="500s", **parameters)
    runs = [Mm1(total_time="6000s", warm_up="500s", **parameters).run(seed=7, run=run).metrics
            for run in range(30)]
    waiting = scenario.expected_waiting()
    load = scenario.mean_service / scenario.mean_gap
    expected = {
        "mean_waiting_s": waiting,
        "mean_time_s": waiting + scenario.mean_service,
        # Little's law.
        "mean_in_queue": waiting / scenario.mean_gap,
        "mean_in_system": waiting / scenario.mean_gap + load,
        "utilisation": load / scenario.servers,
    }
    for name, value in expected.items():
        interval = confidence_interval([metrics[name] for metrics in runs], 0.99)
        assert value in interval, f"{name}: {value} is not in {interval}"
        # The interval says something.
        assert interval.relative < 0.15
    assert runs[0]["expected_waiting_s"] == waiting


def test_formulas():
    # M/M/1: rho / (mu - lambda).
    assert Mm1(mean_service=0.8).expected_waiting() == pytest.approx(0.8 / (1 / 0.8 - 1))
    assert pollaczek_khinchine(0.8, 0.8, 1.0) == pytest.approx(0.8 / (1 / 0.8 - 1))
    # Erlang's table of 1917: 5 lines, 3 erlang.
    assert erlang_c(5, 3.0) == pytest.approx(0.23615, abs=5e-6)
    assert erlang_c(1, 0.3) == pytest.approx(0.3)
    assert math.isnan(erlang_c(2, 2.0))


def test_without_formula():
    assert Mm1(servers=2, service="gamma").expected_waiting() is None
    assert Mm1(mean_service=1.5).expected_waiting() is None


def test_same_seed_same_results():
    first, second, other = (
        Mm1(total_time="500s", warm_up="0s").run(seed=1, run=run) for run in (1, 1, 2)
    )
    assert first.digest == second.digest
    assert first.digest != other.digest
    assert first.metrics["customers"] > 400


def test_no_customer_served():
    metrics = Mm1(total_time="0.001s", warm_up="0s").run().metrics
    assert metrics["customers"] == 0
    assert metrics["mean_waiting_s"] is None
