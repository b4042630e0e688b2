"""ns-2 movement files: both common writers, semantics of each statement, errors, hostile input."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator, seconds
from simcore.models.mobility import ConstantPosition, MovementFileError, Ns2Movement
from simcore.models.network.node import create_nodes

BONNMOTION = """\
set val(nn) 2
set val(x) 300.0
$node_(0) set X_ 36.24321436
$node_(0) set Y_ 1.0e2
$node_(1) set X_ 20
$node_(1) set Y_ 10
$ns_ at 0.0 "$node_(1) setdest 20 10 0.0"
$ns_ at 2.5 "$node_(0) setdest 36.24321436 130.0 2.0"
$ns_ at 40.0 "$node_(0) setdest 36.24321436 100.0 1.5E1"
"""

SUMO = """\
$node_(0) set X_ 150.0
$node_(0) set Y_ 93.98597018956875
$node_(0) set Z_ 0
$ns_ at 0.0 "$node_(0) setdest 150.0 110.40013365912482 3.283"
$ns_ at 5.0 "$node_(0) setdest 150.0 110.40013365912482 0.0"
$ns_ at 6.0 "$node_(0) set X_ 151.5"
$ns_ at 6.0 "$node_(0) set Y_ 20"
"""

SETDEST = """\
#
# nodes: 2, pause: 2.00, max speed: 10.00  max x = 100.00, max y: 100.00
#
$god_ set-dist 0 1 1
$node_(0) set X_ 0.000000000000
$node_(0) set Y_ 0.000000000000
$node_(0) set Z_ 0.000000000000
$ns_ at 2.000000000000 "$node_(0) setdest 30.0 40.0 5.0"
$ns_ at 5.5 "$god_ set-dist 0 1 2"
"""


def placed(text, count=1, **options):
    sim = Simulator()
    nodes = create_nodes(sim, count)
    Ns2Movement.from_text(text).install(nodes, **options)
    return sim, nodes


def looks(text, times):
    sim, (node,) = placed(text)
    found = []
    for time in times:
        sim.run(until=seconds(time))
        found.append(node.mobility.position)
    return np.array(found)


def near(positions):
    return pytest.approx(np.array(positions, float), abs=1e-9)


def test_bonnmotion():
    movement = Ns2Movement.from_text(BONNMOTION)
    assert list(movement.movements) == [0, 1]
    assert movement.last_time == seconds(40)
    sim, nodes = placed(BONNMOTION, 2)
    x = 36.24321436
    for time, y in ((0, 100), (2.5, 100), (7.5, 110), (17.5, 130), (30, 130), (41, 115), (42, 100)):
        sim.run(until=seconds(time))
        assert nodes[0].mobility.position == pytest.approx((x, y, 0))
        assert nodes[1].mobility.position == (20, 10, 0)


def test_sumo():
    start, end = 93.98597018956875, 110.40013365912482
    sim, (node,) = placed(SUMO)
    assert node.mobility.position == (150, start, 0)
    for time, y in ((1, start + 3.283), (4, start + 4 * 3.283), (5, end)):
        sim.run(until=seconds(time))
        assert node.mobility.position == pytest.approx((150, y, 0), abs=1e-3)
    sim.run(until=seconds(7))
    assert node.mobility.position == (151.5, 20, 0)
    assert node.mobility.speed == 0


def test_setdest():
    assert looks(SETDEST, [0, 2, 7, 12, 20]) == near(
        [(0, 0, 0), (0, 0, 0), (15, 20, 0), (30, 40, 0), (30, 40, 0)]
    )


def test_a_new_destination_before_arrival_takes_over():
    text = """
    $ns_ at 1 "$node_(0) setdest 100 0 10"
    $ns_ at 4 "$node_(0) setdest 30 50 10"
    """
    assert looks(text, [3, 4, 6, 9, 15]) == near(
        [(20, 0, 0), (30, 0, 0), (30, 20, 0), (30, 50, 0), (30, 50, 0)]
    )


def test_speed_zero_stops_where_the_node_is():
    text = """
    $ns_ at 1 "$node_(0) setdest 100 0 10"
    $ns_ at 4 "$node_(0) setdest 7 7 0"
    """
    assert looks(text, [4, 5, 50]) == near([(30, 0, 0)] * 3)


def test_a_scheduled_set_moves_one_coordinate_and_stops():
    text = """
    $node_(0) set Y_ 5
    $node_(0) set Z_ 2
    $ns_ at 1 "$node_(0) setdest 100 5 10"
    $ns_ at 3 "$node_(0) set X_ 500"
    """
    assert looks(text, [2, 3, 50]) == near([(10, 5, 2), (500, 5, 2), (500, 5, 2)])


def test_times_need_not_be_in_order():
    lines = SUMO.splitlines()
    assert looks("\n".join(reversed(lines)), [1, 4]) == near(looks(SUMO, [1, 4]))


def test_at_one_time_the_order_of_the_file_counts():
    text = """
    $ns_ at 1 "$node_(0) setdest 100 0 10"
    $ns_ at 1 "$node_(0) setdest 0 100 10"
    """
    assert looks(text, [2]) == near([(0, 10, 0)])


@pytest.mark.parametrize(
    "line",
    [
        '$ns_ at 1.0 "$node_(0) setdest 10 0 10";',
        '\t$ns_  at\t1.0  " $node_(0)   setdest  10 0   10 " ; ',
        '$ns at 1 "$node(0) setdest +10. 0 1e1"\r',
        '$ns_ at .1e1 "$node_(0) setdest 10 0 10"  ',
        '\ufeff$ns_ at 1.0 "$node_(0) setdest 10 0 10"',
    ],
)
def test_spelling_variants(line):
    assert looks(line, [1.5, 2]) == near([(5, 0, 0), (10, 0, 0)])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("hello", "'hello' is no movement: expected"),
        ("$node_(0) set W_ 1", "sets no X_, Y_ or Z_"),
        ("$node_(0) set X_", "sets no X_, Y_ or Z_"),
        ("$node_(0) set X_ 1 2", "sets no X_, Y_ or Z_"),
        ("$node_(0) set X_ nan", "X_ is 'nan' in"),
        ("$node_(0) set X_ 1_0", "X_ is '1_0' in"),
        ("$node_(0) set X_ 1e999", "X_ is '1e999'"),
        ("$node_(0) set X_ 1e16", "X_ is 1e16 in .* it must not exceed 1e"),
        ("$node_(a) set X_ 1", "node 'a' in .*it must be a whole number"),
        ("$node_(\u0663) set X_ 1", "it must be a whole number"),
        ("$node_(0) setdest 1 2 3", "is no movement"),
        ('$ns_ at x "$node_(0) setdest 1 2 3"', "time is 'x'"),
        ('$ns_ at -1 "$node_(0) setdest 1 2 3"', "time is -1 in .*from 0 to 9223372036 s"),
        ('$ns_ at 1e10 "$node_(0) setdest 1 2 3"', "time is 1e10"),
        ('$ns_ at 1 "$node_(0) setdest 1 2"', "needs x, y and speed"),
        ('$ns_ at 1 "$node_(0) setdest 1 2 3 4"', "needs x, y and speed"),
        ('$ns_ at 1 "$node_(0) setdest 1 2 -3"', "speed is -3 in .*it must be 0 or more"),
        ('$ns_ at 1 "$node_(0) setdest 1 inf 3"', "y is 'inf'"),
        ('$ns_ at 1 "$node_(0) setdest 1 2 3', "is no movement"),
        ('$ns_ at 1 "$node_(0) explode"', "is no movement"),
    ],
)
def test_a_bad_line_is_named_with_what_would_be_right(tmp_path, line, message):
    path = tmp_path / "bad.ns_movements"
    path.write_text(f"# first\n\n{line}\n", encoding="utf-8")
    with pytest.raises(MovementFileError, match=message) as caught:
        Ns2Movement(path)
    assert str(caught.value).startswith(f"{path}, line 3: ")
    assert caught.value.line == 3


def test_a_file_that_is_not_text(tmp_path):
    path = tmp_path / "binary"
    path.write_bytes(b"$node_(0) set X_ 1\n\xff\xfe\x00\n")
    with pytest.raises(MovementFileError, match="line 2: byte 0xff is not UTF-8"):
        Ns2Movement(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(MovementFileError, match="missing: cannot be read: No such file") as caught:
        Ns2Movement(tmp_path / "missing")
    assert caught.value.line is None
    with pytest.raises(MovementFileError, match="cannot be read: Is a directory"):
        Ns2Movement(tmp_path)
    with pytest.raises(MovementFileError, match="cannot be read: embedded null"):
        Ns2Movement("a\0b")


def test_an_empty_file_moves_nobody(tmp_path):
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert Ns2Movement(path).movements == {}
    assert Ns2Movement(path).last_time == 0
    assert Ns2Movement(path).install([]) == []


def test_nodes_beyond_those_given_are_named():
    text = "\n".join(f"$node_({number}) set X_ 1" for number in (0, 1, 3, 7))
    with pytest.raises(ValueError, match=r"moves nodes 3, 7, but .* only 2 nodes \(0 to 1\)"):
        placed(text, 2)
    _, nodes = placed(text, 2, ignore_extra=True)
    assert [node.mobility.position for node in nodes] == [(1, 0, 0), (1, 0, 0)]
    with pytest.raises(ValueError, match="moves nodes 0, 1, 3, 7, but there are no nodes"):
        placed(text, 0)


def test_nodes_that_the_file_leaves_out_are_named():
    with pytest.raises(ValueError, match="says nothing about node 1"):
        placed("$node_(0) set X_ 1", 2)
    nodes = create_nodes(Simulator(), 2)
    other = ConstantPosition(nodes[1])
    models = Ns2Movement.from_text("$node_(0) set X_ 1").install(nodes)
    assert models[1] is other


def test_many_extra_nodes_are_not_all_listed():
    text = "\n".join(f"$node_({number}) set X_ 1" for number in range(30))
    with pytest.raises(ValueError, match="10, 11 and 18 more, but"):
        placed(text, 2)


STATEMENT = st.one_of(
    st.sampled_from(BONNMOTION.splitlines() + SUMO.splitlines() + SETDEST.splitlines()),
    st.text(max_size=40),
    st.from_regex(
        r'\$ns_ at [0-9.e+-]{1,6} "\$node_\([0-3]\) (setdest|set [XYZ]_)( [0-9.e+-]{1,6}){1,3}"',
        fullmatch=True,
    ),
)


def read_and_run(movement):
    sim = Simulator()
    count = max(movement.movements, default=-1) + 1
    if count > 50:
        return
    nodes = create_nodes(sim, count)
    for node in nodes:
        ConstantPosition(node)
    movement.install(nodes)
    for time in (0, 1, 10, 1000):
        sim.run(until=seconds(time))
        for node in nodes:
            assert all(math.isfinite(value) for value in node.mobility.position)


@settings(max_examples=300)
@given(st.lists(STATEMENT, max_size=8))
def test_any_text_is_read_or_refused_with_its_line(lines):
    text = "\n".join(lines)
    try:
        movement = Ns2Movement.from_text(text)
    except MovementFileError as error:
        assert 1 <= error.line <= text.count("\n") + 1
    else:
        read_and_run(movement)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "file"
    path.write_bytes(data)
    try:
        movement = Ns2Movement(path)
    except MovementFileError as error:
        assert str(path) in str(error)
    else:
        read_and_run(movement)


NUMBER = st.floats(-1e6, 1e6)
COMMAND = st.tuples(st.integers(0, 200), NUMBER, NUMBER, st.floats(0, 1e4))


@given(NUMBER, NUMBER, st.lists(COMMAND, max_size=10))
def test_destinations_alone_make_no_jumps(x, y, commands):
    lines = [f"$node_(0) set X_ {x!r}", f"$node_(0) set Y_ {y!r}"]
    lines += [f'$ns_ at {t} "$node_(0) setdest {a!r} {b!r} {v!r}"' for t, a, b, v in commands]
    legs = Ns2Movement.from_text("\n".join(lines)).movements[0].legs()
    for (start, at, velocity), (end, there, _) in pairwise(legs):
        assert start <= end
        elapsed = (end - start) / 1e9
        reached = [p + v * elapsed for p, v in zip(at, velocity, strict=True)]
        # A nanosecond of rounding at 10 km/s, and doubles at 1000 km.
        assert math.dist(reached, there) < 1e-4
