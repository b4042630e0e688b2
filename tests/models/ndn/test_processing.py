"""Service times of a forwarder: what packets wait and take, and what is dropped."""

import gc
import weakref

import pytest

from simcore import Simulator, us
from simcore.models.ndn import Cost, Data, Forwarder, Interest, ServiceModel
from simcore.models.ndn.processing import Processor
from simcore.models.ndn.service_models import SERVICE_MODELS, service_model_from
from simcore.models.ndn.testing import RecordingFace


def router(sim, **options):
    forwarder = Forwarder(sim, 0, **options)
    downstream, upstream = RecordingFace(sim), RecordingFace(sim)
    forwarder.add_face(downstream)
    forwarder.add_face(upstream)
    forwarder.add_route("/a", upstream)
    return forwarder, downstream, upstream


def times(face, kind):
    return [time for time, what, *_ in face.sent if what == kind]


SIMPLE = ServiceModel(
    interest=Cost(10, 2), hit=Cost(5), data=Cost(20, 1, 0.01), insert=Cost(7), nack=Cost(3), queue=2
)


def test_each_pipeline_takes_its_time(sim):
    forwarder, downstream, upstream = router(sim, service_model=SIMPLE)
    data = Data("/a/1", 1000)
    sim.schedule(0, downstream.receive_interest, Interest("/a/1", nonce=1))
    sim.schedule(us(100), upstream.receive_data, data)
    sim.schedule(us(200), downstream.receive_interest, Interest("/a/1", nonce=2))
    sim.run()
    # 10 + 2 * 2 components; 20 + 1 * 2 + 0.01 * bytes, and 7 for the content store; 5.
    assert times(upstream, "I") == [us(14)]
    served = us(100) + round(1000 * (29 + 0.01 * len(data.to_wire())))
    assert times(downstream, "D") == [served, us(205)]
    assert forwarder.counters.cs_hits == 1


def test_nacks_take_their_time(sim):
    _, downstream, upstream = router(sim, service_model=SIMPLE)
    interest = Interest("/a/1", nonce=1)
    sim.schedule(0, downstream.receive_interest, interest)
    sim.schedule(us(50), upstream.receive_nack, interest, 150)
    sim.run()
    assert times(downstream, "N") == [us(53)]


def test_without_content_store_nothing_is_inserted(sim):
    _, downstream, upstream = router(sim, service_model=SIMPLE, cs_capacity=0)
    data = Data("/a/1")
    sim.schedule(0, downstream.receive_interest, Interest("/a/1", nonce=1))
    sim.schedule(us(100), upstream.receive_data, data)
    sim.run()
    assert times(downstream, "D") == [us(122) + round(10 * len(data.to_wire()))]


def test_packets_wait_in_order_and_the_queue_is_finite(sim):
    forwarder, downstream, upstream = router(sim, service_model=SIMPLE)
    for i in range(5):
        sim.schedule(0, downstream.receive_interest, Interest(f"/a/{i}", nonce=i))
    sim.run(us(100))
    assert times(upstream, "I") == [us(14), us(28), us(42)]
    assert [str(i.name) for i in upstream.of("I")] == ["/a/0", "/a/1", "/a/2"]
    processor = forwarder.processor
    assert processor.drops == 2
    assert processor.drops_by_kind == {"interests": 2, "data": 0, "nacks": 0}
    assert processor.served == 3
    assert processor.peak_queue == 2
    assert processor.mean_waiting_time == pytest.approx(us(14))
    assert processor.utilisation == pytest.approx(0.42)
    # The face counted what came to it.
    assert downstream.counters.in_interests == 5


def test_several_servers(sim):
    model = ServiceModel(interest=Cost(10), queue=10, servers=2)
    forwarder, downstream, upstream = router(sim, service_model=model)
    for i in range(4):
        sim.schedule(0, downstream.receive_interest, Interest(f"/a/{i}", nonce=i))
    sim.run(us(15))
    assert forwarder.processor.utilisation == pytest.approx(1.0)
    sim.run()
    assert times(upstream, "I") == [us(10), us(10), us(20), us(20)]
    assert [str(i.name) for i in upstream.of("I")] == [f"/a/{i}" for i in range(4)]


def test_no_queue_at_all(sim):
    model = ServiceModel(interest=Cost(10), queue=0)
    forwarder, downstream, upstream = router(sim, service_model=model)
    for i in range(3):
        sim.schedule(us(6 * i), downstream.receive_interest, Interest(f"/a/{i}", nonce=i))
    sim.run()
    assert times(upstream, "I") == [us(10), us(22)]
    assert forwarder.processor.drops == 1


def test_a_face_that_closes_is_no_longer_heard(sim):
    forwarder, downstream, upstream = router(sim, service_model=SIMPLE)
    sim.schedule(0, downstream.receive_interest, Interest("/a/1", nonce=1))
    sim.schedule(us(1), forwarder.remove_face, downstream)
    sim.run()
    assert upstream.sent == []


def test_none_is_no_processor(sim):
    forwarder, downstream, upstream = router(sim, service_model="none")
    assert forwarder.processor is None
    sim.schedule(us(3), downstream.receive_interest, Interest("/a/1"))
    sim.run(us(3))
    assert times(upstream, "I") == [us(3)]


def test_mean_wait_of_poisson_arrivals(sim):
    """M/D/1: the mean wait is rho / (2 (1 - rho)) services (Pollaczek-Khinchine)."""
    model = ServiceModel(interest=Cost(8), queue=10_000)
    forwarder, downstream, _ = router(sim, service_model=model, cs_capacity=0)
    gaps = sim.random.stream("gaps")
    count = 100_000

    def arrive(i):
        downstream.receive_interest(Interest(f"/a/{i}", nonce=i, lifetime=1_000_000))
        if i < count:
            sim.schedule(round(gaps.exponential(us(10))), arrive, i + 1)

    sim.schedule(0, arrive, 1)
    sim.run()
    assert forwarder.processor.drops == 0
    assert forwarder.processor.mean_waiting_time == pytest.approx(us(16), rel=0.05)


def test_packets_left_waiting_are_collected():
    sim = Simulator()
    forwarder, downstream, _ = router(sim, service_model=SIMPLE)
    for i in range(3):
        downstream.receive_interest(Interest(f"/a/{i}", nonce=i))
    gone = weakref.ref(downstream)
    del sim, forwarder, downstream, _
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Cost(-1), "constant"),
        (lambda: Cost(1, float("nan")), "per_component"),
        (lambda: Cost(1, 1, float("inf")), "per_byte"),
        (lambda: ServiceModel(queue=-1), "queue"),
        (lambda: ServiceModel(servers=0), "servers"),
        (lambda: service_model_from("nfd-9"), "nfd-24.07"),
        (lambda: Forwarder(Simulator(), service_model="nfd"), "service_model"),
    ],
)
def test_wrong_models(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def test_a_processor_needs_a_model(sim):
    forwarder = Forwarder(sim)
    with pytest.raises(ValueError, match="no processor"):
        Processor(sim, forwarder, forwarder.cs, "none")


# Components and Interests/s, without and with content (docs/models/ndn-processing.md).
PUBLISHED = {
    "nfd-0.1": ([(3, 14_800), (6, 10_000), (27, 2_000)], [(3, 4_800), (6, 3_500), (27, 1_100)]),
    "nfd-0.2": ([(3, 40_000), (7, 30_000), (27, 9_600)], [(3, 12_000), (7, 10_000), (27, 4_200)]),
}


def least_worst_line(points):
    """Intercept and slope (us) of the line whose largest relative deviation is least.

    Three convex points: the line is below the outer ones and above the inner one by the same part.
    """
    (n1, t1), (n2, t2), (n3, t3) = ((n, 1e6 / rate) for n, rate in points)
    between = t1 + (t3 - t1) * (n2 - n1) / (n3 - n1)
    part = (between - t2) / (between + t2)
    slope = (t3 - t1) * (1 - part) / (n3 - n1)
    return t1 * (1 - part) - slope * n1, slope


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_constants_are_the_fit_of_the_published_rates(name):
    model = SERVICE_MODELS[name]
    without, with_content = (least_worst_line(points) for points in PUBLISHED[name])
    assert (model.interest.constant, model.interest.per_component) == pytest.approx(
        without, rel=1e-3
    )
    assert model.interest.constant + model.data.of(0, 1435) == pytest.approx(
        with_content[0], rel=1e-3
    )
    assert model.interest.per_component + model.data.per_component == pytest.approx(
        with_content[1], rel=1e-3
    )


def test_nfd_24_07_has_the_measured_times():
    model = SERVICE_MODELS["nfd-24.07"]
    for n, without, with_content in ((3, (16, 18.6), (74, 83)), (27, (29, 31.4), (140, 143))):
        assert without[0] <= model.interest.of(n, 60) <= without[1]
        exchange = model.interest.of(n, 60) + model.data.of(n, 800) + model.insert.of(n, 800)
        assert with_content[0] <= exchange <= with_content[1]
    assert model.hit.of(3, 60) == pytest.approx(16, rel=0.01)
    assert model.interest.of(3, 60) + model.data.of(3, 800) == pytest.approx(57, rel=0.01)
