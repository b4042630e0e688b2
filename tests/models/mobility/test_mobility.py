"""Positions, course changes, jumps, contexts, and the reproduction of ns-3's movements."""

import gc
import json
import math
from pathlib import Path

import pytest

from simcore import Simulator, seconds
from simcore.models.mobility import (
    ConstantPosition,
    ConstantVelocity,
    Grid,
    MobilityModel,
    RandomRectangle,
    RandomWalk2d,
    RandomWaypoint,
    Waypoints,
    install,
)
from simcore.models.network.node import Node, create_nodes
from simcore.random import Uniform

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "ns3" / "mobility_positions.json"


def test_a_still_node_stays_until_it_is_put_elsewhere():
    sim = Simulator()
    node = ConstantPosition(sim, (1, 2))
    sim.run(until=seconds(5))
    assert node.position == (1.0, 2.0, 0.0)
    assert node.velocity == (0.0, 0.0, 0.0)
    node.position = (4, 6, 7)
    assert node.position == (4.0, 6.0, 7.0)
    assert node.course_changes == 1


def test_constant_velocity_moves_in_a_straight_line():
    sim = Simulator()
    node = ConstantVelocity(sim, (10, 0, 5), (3, -4, 1))
    assert node.speed == pytest.approx(math.sqrt(26))
    sim.run(until=seconds(2.5))
    assert node.position == pytest.approx((17.5, -10.0, 7.5))
    node.velocity = (0, 1)
    sim.run(until=seconds(3.5))
    assert node.position == pytest.approx((17.5, -9.0, 7.5))
    node.position = (0, 0)
    assert node.velocity == (0.0, 1.0, 0.0)


def test_distance_is_euclidean_and_symmetric():
    sim = Simulator()
    a = ConstantPosition(sim, (0, 0, 0))
    b = ConstantVelocity(sim, (2, 3, 6), (1, 0, 0))
    assert a.distance_to(b) == b.distance_to(a) == 7.0
    sim.run(until=seconds(2))
    assert a.distance_to(b) == pytest.approx(math.sqrt(16 + 9 + 36))


def test_course_changes_are_traced_on_the_new_course():
    sim = Simulator()
    node = Waypoints(sim, [(seconds(1), (0, 0)), (seconds(3), (10, 0)), (seconds(4), (10, 5))])
    seen = []
    node.trace.course_change.connect(lambda m: seen.append((sim.now(), m.position, m.velocity)))
    sim.run(until=seconds(9))
    assert seen == [
        (seconds(1), (0, 0, 0), (5, 0, 0)),
        (seconds(3), (10, 0, 0), (0, 5, 0)),
        (seconds(4), (10, 5, 0), (0, 0, 0)),
    ]


def test_course_changes_run_in_the_context_of_the_node():
    sim = Simulator()
    nodes = create_nodes(sim, 3)
    contexts = []
    install(nodes, Waypoints, points=[(seconds(1), (0, 0)), (seconds(2), (1, 1))])
    for node in nodes:
        assert node.mobility.node_id == node.id
        node.mobility.trace.course_change.connect(lambda m: contexts.append(sim.context))
    sim.run()
    assert contexts == [0, 1, 2, 0, 1, 2]
    assert sim.context == -1


def test_a_model_made_for_a_node_becomes_its_mobility():
    node = Node(Simulator())
    model = ConstantPosition(node, (1, 1))
    assert node.mobility is model
    assert model.sim is node.sim


def test_movement_written_in_python():
    class Bouncing(MobilityModel):
        def __init__(self, where):
            super().__init__(where, (0, 0))
            self.turn(1.0)

        def turn(self, direction):
            self.change_course(self.position, (direction, 0))
            self.sim.schedule(seconds(10), self.turn, -direction)

    sim = Simulator()
    node = Bouncing(sim)
    sim.run(until=seconds(13))
    assert node.position == pytest.approx((7, 0, 0))


def test_a_subclass_that_forgets_the_constructor_says_so():
    class Forgetful(MobilityModel):
        def __init__(self):
            pass

    for use in (
        lambda m: m.position,
        lambda m: m.change_course((0, 0), (1, 1)),
        lambda m: setattr(m, "position", (0, 0)),
        lambda m: m.distance_to(m),
    ):
        with pytest.raises(RuntimeError, match="Forgetful did not call"):
            use(Forgetful())


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ((math.nan, 0), r"position.x is nan: it must be a finite number of m"),
        ((0, math.inf, 0), r"position.y is inf"),
        ((0, 0, -math.inf), r"position.z is -inf"),
        ((1,), r"position is \(1,\): it must be \(x, y\) or \(x, y, z\) in m"),
        ((1, 2, 3, 4), r"it must be \(x, y\) or"),
    ],
)
def test_a_bad_position_is_named(position, message):
    sim = Simulator()
    with pytest.raises(ValueError, match=message):
        ConstantPosition(sim, position)
    node = ConstantPosition(sim, (1, 1))
    with pytest.raises(ValueError, match=message):
        node.position = position
    assert node.position == (1, 1, 0)


def test_a_position_that_is_no_vector_is_a_type_error():
    sim = Simulator()
    for wrong in (7, "12", None, ("a", "b")):
        with pytest.raises(TypeError, match="position"):
            ConstantPosition(sim, wrong)
    with pytest.raises(TypeError, match="where is None: it must be a Node or a Simulator"):
        ConstantPosition(None, (0, 0))
    with pytest.raises(ValueError, match=r"velocity\.x is nan"):
        ConstantVelocity(sim, (0, 0), (math.nan, 0))


def test_install_gives_positions_in_the_order_of_the_nodes():
    sim = Simulator()
    nodes = create_nodes(sim, 5)
    models = install(nodes, ConstantPosition, Grid(delta_x=10, delta_y=20, width=3))
    assert [node.mobility for node in nodes] == models
    assert [m.position[:2] for m in models] == [(0, 0), (10, 0), (20, 0), (0, 20), (10, 20)]


def test_a_further_node_does_not_move_the_others():
    def start_and_end(count):
        sim = Simulator(seed=7)
        area = RandomRectangle("uniform(0, 300)", "uniform(0, 1500)")
        models = install(
            create_nodes(sim, count), RandomWaypoint, waypoints=area, speed="uniform(1, 20)"
        )
        start = [m.position for m in models]
        sim.run(until=seconds(500))
        return start, [m.position for m in models]

    few, many = start_and_end(3), start_and_end(8)
    assert many[0][:3] == few[0]
    assert many[1][:3] == few[1]
    assert len(set(many[1])) == 8


def test_positions_are_those_of_ns3():
    reference = json.loads(REFERENCE.read_text())
    sim = Simulator(seed=reference["seed"], run=reference["run"])

    def uniform(low, high, stream):
        return Uniform(low, high, stream=sim.random.stream(stream))

    def waypoint(stream, pause):
        area = RandomRectangle(uniform(0, 300, stream + 2), uniform(0, 1500, stream + 3))
        return RandomWaypoint(
            sim,
            (150, 750),
            waypoints=area,
            speed=uniform(0, 20, stream),
            pause=uniform(0, pause, stream + 1),
        )

    def walk(stream, **leg):
        # ns-3's default for the direction ends a little before 2 pi.
        return RandomWalk2d(
            sim,
            (50, 30),
            bounds=(0, 100, 0, 60),
            speed=uniform(2, 4, stream),
            direction=uniform(0, 6.283184, stream + 1),
            **leg,
        )

    models = {
        "waypoint_pause_3": waypoint(10, 3),
        "waypoint_pause_60": waypoint(20, 60),
        "walk_time_7": walk(30, time=seconds(7)),
        "walk_distance_35": walk(40, distance=35.0),
    }
    for index, (time, *_) in enumerate(reference["walk_time_7"]):
        sim.run(until=seconds(time))
        for name, model in models.items():
            # ns-3 rounds times in other places: micrometres after 600 legs.
            assert model.position[:2] == pytest.approx(reference[name][index][1:], abs=2e-5), name
    assert models["walk_time_7"].course_changes > 600


def test_models_are_collected_with_their_simulator():
    def alive():
        gc.collect()
        # Not isinstance: it asks a weak proxy for what it stood for.
        return sum(issubclass(type(thing), MobilityModel) for thing in gc.get_objects())

    before = alive()
    sim = Simulator()
    install(
        create_nodes(sim, 4),
        RandomWaypoint,
        waypoints=RandomRectangle("uniform(0, 300)", "uniform(0, 300)"),
        speed=1.0,
    )
    sim.run(until=seconds(10))
    assert alive() == before + 4
    del sim
    assert alive() == before
