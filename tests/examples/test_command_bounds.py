"""`simcore run` refuses what a parameter cannot be: exit code 2, with name, value and remedy."""

import pytest

from simcore.cli.main import main
from simcore.examples.dsr import Dsr
from simcore.examples.first import First

SCENARIOS = {"first": First, "dsr": Dsr}
NUMBERS = (int, float)


def refused(capsys, name, *arguments):
    """The line of a run that must be refused, as wrong usage and without a traceback."""
    code = main(["run", name, "--quiet", *arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    (line,) = err.strip().splitlines()
    return line


def option(name):
    return "--" + name.replace("_", "-")


def numbers():
    for scenario, kind in SCENARIOS.items():
        for name, parameter in kind.parameters().items():
            if parameter.type in NUMBERS:
                yield scenario, name, parameter


def test_every_number_has_bounds():
    assert [
        (scenario, name)
        for scenario, name, parameter in numbers()
        if parameter.min is None or parameter.max is None
    ] == []


@pytest.mark.parametrize(
    ("scenario", "name", "value", "bound"),
    [
        (scenario, name, value, f"must be at {which} {bound}")
        for scenario, name, parameter in numbers()
        for which, bound, value in (
            ("least", parameter.min, str(parameter.min - 1)),
            ("most", parameter.max, str(parameter.max * 2)),
        )
    ],
)
def test_just_outside_the_bounds(capsys, scenario, name, value, bound):
    line = refused(capsys, scenario, f"{option(name)}={value}")
    assert f"option {option(name)}: " in line
    assert value in line
    assert bound in line


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("nan", "is not a number"),
        ("inf", "is not finite"),
        ("-inf", "is not finite"),
        ("1e400", "is not finite"),
        ("1e300", "must be at most"),
        ("99999999999999999999999", "must be at most"),
        ("", "has no number"),
        ("many", "has no number"),
        ("5 parsecs", "use "),
    ],
)
def test_no_numbers_and_too_large_ones(capsys, value, told):
    for scenario, name, _ in numbers():
        line = refused(capsys, scenario, f"{option(name)}={value}")
        assert f"option {option(name)}: " in line
        assert name in line
        assert told in line
        assert (value or "''").split()[-1] in line


@pytest.mark.parametrize(
    "name", [name for name, parameter in Dsr.parameters().items() if parameter.choices]
)
def test_no_choice(capsys, name):
    line = refused(capsys, "dsr", option(name), "other")
    assert f"option {option(name)}: " in line
    assert "'other'" in line
    assert all(choice in line for choice in Dsr.parameters()[name].choices)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--flow-state", "maybe"], ["--flow-state", "'maybe'", "true or false"]),
        (["--area", "300"], ["--area", "'300'", "300x1500"]),
        (["--area", "0x10"], ["--area", "(0.0, 10.0)", "above 0 m"]),
        (["--rate", "fast"], ["--rate", "'fast'"]),
        (["--rate", "0"], ["--rate", "'0'", "0.001bps to 1e12bps"]),
        (["--rate=-1bps"], ["--rate", "'-1bps'", "negative"]),
        (["--departures", "sideways"], ["--departures", "'sideways'", "late_replies"]),
        (["--data-stop", "50"], ["--data-stop", "50.0 s", "100.0 s"]),
        (["--movement", "/no/such/file"], ["--movement", "/no/such/file", "cannot be read"]),
        (["--noddes", "3"], ["--noddes", "'nodes'"]),
    ],
)
def test_other_values(capsys, arguments, told):
    line = refused(capsys, "dsr", *arguments)
    for part in told:
        assert part in line


def test_total_time_past_the_end_of_time(capsys):
    # A scenario that sets no bound of its own.
    line = refused(capsys, "mm1", "--total-time", "1e300")
    assert "option --total-time: " in line
    assert "64-bit nanoseconds" in line


MOVEMENT = "$node_({0}) set X_ {0}.0\n$node_({0}) set Y_ 1.0\n"


@pytest.mark.parametrize(
    ("moved", "nodes", "told"),
    [
        # What is wrong is the number of nodes, or the file.
        ([0, 1, 2], 2, ["option --nodes", "nodes is 2", "moves 3", "must be 3"]),
        ([0, 1, 2], 50, ["option --nodes", "nodes is 50", "moves 3", "must be 3"]),
        ([0, 1, 2], 0, ["option --nodes", "nodes is 0", "must be 3"]),
        ([0, 2], 3, ["option --movement", "nothing about node 1", "from 0 on"]),
        ([1, 2], 2, ["option --movement", "nothing about node 0", "from 0 on"]),
    ],
)
def test_movement_of_other_nodes(capsys, tmp_path, moved, nodes, told):
    file = tmp_path / "moves.tcl"
    file.write_text("".join(MOVEMENT.format(number) for number in moved))
    line = refused(capsys, "dsr", "--movement", str(file), "--nodes", str(nodes))
    for part in [*told, str(file)]:
        assert part in line
    assert "ignore_extra" not in line


def test_movement_of_these_nodes_runs(capsys, tmp_path):
    file = tmp_path / "moves.tcl"
    file.write_text("".join(MOVEMENT.format(number) for number in range(3)))
    arguments = ["--movement", str(file), "--nodes", "3", "--total-time", "1", "--quiet"]
    assert main(["run", "dsr", *arguments]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("scenario", "option", "value", "told"),
    [
        ("dsr", "--trace-file", "", "''"),
        ("dsr", "--trace-file", "/no/such/folder/x.tr", "/no/such/folder/x.tr"),
        ("ndn-tree", "--topology", "", "'.'"),
        ("ndn-tree", "--trace-prefix", "/no/such/folder/x", "/no/such/folder/x"),
        ("ndn-live", "--sockets", "", "must be a folder"),
    ],
)
def test_paths_that_do_not_serve(capsys, scenario, option, value, told):
    line = refused(capsys, scenario, option, value)
    assert f"option {option}: " in line
    assert told in line
