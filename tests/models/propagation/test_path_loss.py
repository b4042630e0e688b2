"""Losses by distance against ns-3's numbers and their own bounds."""

import csv
import math
from pathlib import Path

import pytest

from simcore.models.propagation import FriisLoss, LogDistanceLoss, RangeLoss

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "ns3"

MODELS = {
    ("Friis", "Frequency=5.15e9 SystemLoss=1 MinLoss=0"): lambda: FriisLoss(),
    ("Friis", "Frequency=2.412e9"): lambda: FriisLoss(frequency=2.412e9),
    ("Friis", "Frequency=5.15e9 SystemLoss=3"): lambda: FriisLoss(system_loss=3),
    ("LogDistance", "Exponent=3 ReferenceDistance=1 ReferenceLoss=46.6777"): lambda: (
        LogDistanceLoss()
    ),
    ("LogDistance", "Exponent=2.5 ReferenceDistance=1 ReferenceLoss=40"): lambda: (
        LogDistanceLoss(exponent=2.5, reference_loss=40)
    ),
    ("Range", "MaxRange=250"): lambda: RangeLoss(),
}


def rows() -> list[dict[str, str]]:
    with (REFERENCE / "propagation_loss.csv").open() as file:
        return [row for row in csv.DictReader(file) if (row["model"], row["params"]) in MODELS]


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row['model']}-{row['distance_x_m']}")
def test_loss_is_that_of_ns3(row):
    model = MODELS[row["model"], row["params"]]()
    sender = (0.0, 0.0, float(row["h_tx_m"]))
    receiver = (float(row["distance_x_m"]), 0.0, float(row["h_rx_m"]))
    loss = -model.received_dbm(0.0, sender, receiver)
    assert loss == pytest.approx(float(row["loss_db"]), rel=1e-11, abs=1e-9)


@pytest.mark.parametrize(
    "model",
    [FriisLoss(), FriisLoss(system_loss=3, min_loss=50), LogDistanceLoss(), RangeLoss(120)],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("floor", [-96.0, -60.0, 0.0, 15.9])
def test_nothing_beyond_the_range_is_above_the_floor(model, floor):
    reach = model.range_above(16.0, floor)
    assert math.isfinite(reach)
    for factor in (1.0 + 1e-6, 1.5, 100.0):
        assert model.received_dbm(16.0, (0, 0), (reach * factor + 1e-9, 0)) < floor
