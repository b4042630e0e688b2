"""Values that a scenario cannot run with are refused by the name of their parameter."""

import pytest

from simcore import Simulator
from simcore.examples.dsr import Dsr
from simcore.examples.first import First
from simcore.scenario import ParameterError


@pytest.mark.parametrize(
    ("scenario", "name", "value"),
    [
        (First, "data_rate", "0"),
        (First, "data_rate", "-5Mbps"),
        (First, "interval", "0"),
        (First, "packets", "100000000000000000000"),
        (First, "delay", "1e20"),
        (Dsr, "rate", "0"),
        (Dsr, "rate", "-1kbps"),
        (Dsr, "rate", "1e30bps"),
        (Dsr, "rate", "1e-9bps"),
        (Dsr, "node_speed", "1e300"),
        (Dsr, "data_mode", "foo"),
        (Dsr, "data_mode", "OfdmRate6Mbps"),
        (Dsr, "area", "0x0"),
        (Dsr, "data_stop", "1"),
        (Dsr, "data_start", "1e20"),
    ],
)
def test_out_of_bounds(scenario, name, value):
    with pytest.raises(ParameterError) as caught:
        scenario.from_parameters({name: value}).build(Simulator())
    assert name.replace("_", "-") in str(caught.value).replace("_", "-")
