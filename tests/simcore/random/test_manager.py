"""RandomManager: which stream belongs to whom."""

import subprocess
import sys

import pytest

from simcore.random import RandomManager


def test_the_same_key_is_the_same_stream():
    manager = RandomManager()
    assert manager.stream(3) is manager.stream(3)
    assert manager.stream("a") is manager.stream("a")
    assert manager.allocate() is not manager.allocate()


def test_streams_do_not_depend_on_the_order_of_creation():
    one, two = RandomManager(5, 2), RandomManager(5, 2)
    keys = [0, 7, "node3/mac", "node4/mac", 2**63 - 1]
    values = {key: one.stream(key).random() for key in keys}
    two.allocate()
    two.stream("somebody else").random()
    assert {key: two.stream(key).random() for key in reversed(keys)} == values
    assert len(set(values.values())) == len(keys)


def test_two_managers_share_nothing():
    one, two = RandomManager(), RandomManager()
    one.allocate()
    assert one.stream(1) is not two.stream(1)
    assert two.allocate().number == 0


def test_numbers_of_the_three_kinds_are_apart():
    manager = RandomManager()
    assert manager.allocate().number == 0
    assert manager.allocate().number == 1
    assert manager.stream(5).number == 2**63 + 5
    names = [f"node{i}/{part}" for i in range(500) for part in ("mac", "phy")]
    numbers = {manager.stream(name).number for name in names}
    assert len(numbers) == len(names)
    assert all(2**62 <= number < 2**63 for number in numbers)


def test_the_number_of_a_name_is_fixed_for_ever():
    # BLAKE2b-64 of the name; a change would change every simulation that uses names.
    assert RandomManager().stream("node3/mac").number == 0x50040A71AE06CEC9


def test_names_do_not_depend_on_hash_randomisation():
    code = "from simcore.random import RandomManager as R; print(R(2, 3).stream('queue').random())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {f"{RandomManager(2, 3).stream('queue').random()}\n"}


def test_seed_and_run_reach_the_streams():
    manager = RandomManager(seed=6, run=4, antithetic=True)
    for stream in (manager.stream(1), manager.stream("x"), manager.allocate()):
        assert (stream.seed, stream.run, stream.antithetic) == (6, 4, True)
    assert repr(manager) == "RandomManager(seed=6, run=4, antithetic=True)"


def test_importing_does_not_import_numpy():
    code = (
        "import sys; from simcore.random import RandomManager; RandomManager().stream(1).normal();"
        "sys.exit('numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: RandomManager(0), ValueError, "seed is 0; it must be between 1 and"),
        (lambda: RandomManager("1"), TypeError, "seed is '1'; it must be an integer"),
        (lambda: RandomManager(1, -1), ValueError, "run is -1"),
        (lambda: RandomManager(1, 1.0), TypeError, "run is 1.0"),
        (lambda: RandomManager().stream(-1), ValueError, "stream is -1"),
        (lambda: RandomManager().stream(2**63), ValueError, "stream is 9223372036854775808"),
        (lambda: RandomManager().stream(1.0), TypeError, "stream is 1.0"),
        (lambda: RandomManager().stream(""), ValueError, "stream is ''"),
    ],
)
def test_wrong_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()
