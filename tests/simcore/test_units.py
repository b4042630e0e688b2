"""Durations, data rates, powers and lengths: one rounding rule, exact round trips, clear errors."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import units
from simcore.units import (
    MAX_TIME,
    MS,
    UnitError,
    dbm_to_watt,
    format_rate,
    format_time,
    hours,
    minutes,
    ms,
    ns,
    parse_area,
    parse_quantity,
    parse_rate,
    parse_time,
    ratio_from_db,
    ratio_to_db,
    seconds,
    time_from_float,
    to_seconds,
    us,
    watt_to_dbm,
)

times = st.integers(-MAX_TIME, MAX_TIME)


@pytest.mark.parametrize(
    ("builder", "size"),
    [
        (ns, 1),
        (us, 10**3),
        (ms, 10**6),
        (seconds, 10**9),
        (minutes, 60 * 10**9),
        (hours, 3600 * 10**9),
    ],
)
class TestBuilders:
    def test_whole_numbers_are_exact(self, builder, size):
        largest = MAX_TIME // size
        assert builder(largest) == largest * size
        assert type(builder(3)) is int

    def test_floats_round_to_nearest_ties_to_even(self, builder, size):
        assert builder(0.5 / size) == 0
        assert builder(1.5 / size) == 2
        assert builder(1.25) == round(Fraction(5, 4) * size)
        assert builder(-1.25) == -builder(1.25)

    def test_nan_is_refused(self, builder, size):
        with pytest.raises(ValueError, match="not a number: nan"):
            builder(math.nan)

    @pytest.mark.parametrize("value", [math.inf, -math.inf, 1e30, 2**63, -(2**63)])
    def test_beyond_the_end_of_time_is_refused(self, builder, size, value):
        with pytest.raises(OverflowError, match="range of 64-bit nanoseconds"):
            builder(value)

    @pytest.mark.parametrize("value", ["1", None, b"1", [1]])
    def test_other_types_are_refused(self, builder, size, value):
        with pytest.raises(TypeError, match="must be a number, not"):
            builder(value)

    def test_numpy_scalars(self, builder, size):
        numpy = pytest.importorskip("numpy")
        assert builder(numpy.int32(2)) == 2 * size
        assert builder(numpy.float64(2.0)) == 2 * size
        assert builder(numpy.float32(2.0)) == 2 * size


def test_decimal_seconds_that_binary_cannot_hold():
    assert seconds(0.1) == 100 * MS
    assert seconds(1.1) == 1100 * MS
    assert seconds(600.123456789) == 600_123_456_789


def test_time_from_float_names_what_it_is_given():
    with pytest.raises(ValueError, match="pause is not a number"):
        time_from_float(math.nan, name="pause")


def test_largest_double_below_the_end_of_time():
    value = math.nextafter(2.0**63, 0)
    assert time_from_float(value, 1) == int(value)


@given(times)
def test_time_text_round_trip(time):
    assert parse_time(format_time(time)) == time


@given(st.floats(-1e9, 1e9))
def test_seconds_is_the_nearest_nanosecond_of_the_product(value):
    exact = Fraction(value * 1e9)
    assert abs(seconds(value) - exact) <= Fraction(1, 2)


@given(st.integers(-(2**53), 2**53))
def test_to_seconds_is_undone_by_seconds(time):
    assert seconds(to_seconds(time)) == time


@given(st.text(max_size=12))
def test_any_text_is_a_time_or_a_named_error(text):
    try:
        time = parse_time(text, name="pause")
    except (ValueError, OverflowError) as error:
        assert "pause" in str(error)
    else:
        assert abs(time) <= MAX_TIME


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("600s", 600 * 10**9),
        ("10ms", 10**7),
        (" 1.5 us ", 1500),
        ("9 µs", 9000),
        ("2min", 120 * 10**9),
        ("1h", 3600 * 10**9),
        ("1e3ns", 1000),
        ("-5ms", -5 * 10**6),
        ("0.5ns", 0),
        ("1.5ns", 2),
        ("2.5ns", 2),
        ("0", 0),
        ("9223372036854775807ns", MAX_TIME),
        ("9223372036.854775807s", MAX_TIME),
        ("1e-999999s", 0),
    ],
)
def test_parse_time(text, time):
    assert parse_time(text) == time


def test_parse_time_with_a_default_unit():
    assert parse_time("600", default="s") == 600 * 10**9
    assert parse_time(1.5, default="ms") == 1_500_000
    assert parse_time("10ms", default="s") == 10**7


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("600", UnitError, "pause has no unit: '600'; write for instance '600s'"),
        (600, UnitError, "pause has no unit"),
        ("s", UnitError, "pause has no number"),
        ("", UnitError, "pause has no number"),
        ("1.2.3s", UnitError, "no readable number"),
        ("3kg", UnitError, "wrong unit 'kg' for pause: use ns or us or ms or s or min or h"),
        ("3S", UnitError, "wrong unit 'S'"),
        ("nans", ValueError, "pause is not a number"),
        ("nan", ValueError, "pause is not a number"),
        ("infs", OverflowError, "pause is not finite"),
        ("-infinitys", OverflowError, "pause is not finite"),
        ("1e999999s", OverflowError, "pause is not finite"),
        ("9223372036854775808ns", OverflowError, "beyond the range"),
    ],
)
def test_parse_time_errors(text, error, message):
    with pytest.raises(error, match=message):
        parse_time(text, name="pause")


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "0s"),
        (1, "1ns"),
        (1500, "1.5us"),
        (1_500_000, "1.5ms"),
        (-1_000_000_001, "-1.000000001s"),
        (600 * 10**9, "600s"),
    ],
)
def test_format_time(time, text):
    assert format_time(time) == text


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("0.512kbps", 512),
        ("11Mbps", 11_000_000),
        ("5.5 Mb/s", 5_500_000),
        ("1kB/s", 8000),
        ("1Kibps", 1024),
        ("100", 100),
        ("1.5bps", 1.5),
        (250, 250),
    ],
)
def test_parse_rate(text, rate):
    assert parse_rate(text) == rate
    assert type(parse_rate(text)) is type(rate)


@pytest.mark.parametrize("text", ["-1kbps", "nanbps", "infbps", "1m/s", "kbps", math.nan, math.inf])
def test_parse_rate_errors(text):
    with pytest.raises((ValueError, OverflowError), match="link"):
        parse_rate(text, name="link")


def test_format_rate():
    assert [format_rate(r) for r in (512, 11e6, 5_500_000, 0.5)] == [
        "512bps",
        "11Mbps",
        "5.5Mbps",
        "0.5bps",
    ]


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("20 m/s", "m/s", 20),
        ("36km/h", "m/s", 10),
        ("1km", "m", 1000),
        ("10ms", "s", 0.01),
        ("2.4GHz", "MHz", 2400),
        ("0.1W", "dBm", 20.0),
        ("20dBm", "W", 0.1),
        ("0dBW", "dBm", 30.0),
        ("3 packets", "packets", 3),
        ("1KiB", "B", 1024),
        ("7", "anything", 7),
        (4.5, "m", 4.5),
    ],
)
def test_parse_quantity(text, unit, value):
    assert parse_quantity(text, unit) == pytest.approx(value, rel=1e-14)


def test_wrong_unit_names_the_field_and_what_is_right():
    with pytest.raises(UnitError, match=r"wrong unit 'kg' for node_speed: use m/s or km/h"):
        parse_quantity("20kg", "m/s", "node_speed")
    with pytest.raises(UnitError, match="wrong unit 'bytes' for count: use packets"):
        parse_quantity("20bytes", "packets", "count")


def test_every_listed_unit_is_known():
    for dimension in units._DIMENSIONS:
        assert set(dimension.listed) <= set(dimension.units)


@given(st.floats(-200, 100))
def test_dbm_round_trip(dbm):
    assert watt_to_dbm(dbm_to_watt(dbm)) == pytest.approx(dbm, abs=1e-9)


@given(st.floats(-200, 200))
def test_db_round_trip(db):
    assert ratio_to_db(ratio_from_db(db)) == pytest.approx(db, abs=1e-9)


def test_powers():
    assert dbm_to_watt(0) == 0.001
    assert dbm_to_watt(30) == 1.0
    assert watt_to_dbm(0.0) == -math.inf
    assert ratio_to_db(0.0) == -math.inf
    for function in (watt_to_dbm, ratio_to_db):
        with pytest.raises(ValueError, match="negative"):
            function(-1.0)
        with pytest.raises(ValueError, match="negative"):
            function(math.nan)


def test_area():
    assert parse_area("300x1500") == (300.0, 1500.0)
    assert parse_area("1 km x 300m") == (1000.0, 300.0)
    assert parse_area((3, 4)) == (3.0, 4.0)
    for bad in ("300", "300x", "1x2x3", "ax b", "-1x3", "nanx3", "3kgx3", (1, math.nan)):
        with pytest.raises((ValueError, OverflowError), match="field"):
            parse_area(bad, name="field")
