from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator, ms
from simcore.models.network.topology import (
    TopologyError,
    read_rocketfuel_weights,
    read_topology,
)

GOOD = """
# a triangle
router
# node comment y x partition
A  Vienna   48.2  16.4
B  NA       47.1  15.4  1
C
link
# from to bandwidth metric delay queue loss
A  B  10Mbps  3  5ms  20
B  C  1Gbps   1       # the rest as it comes
A  C  1Mbps   2.5  10us  7p  0.5
"""


@pytest.fixture
def sim():
    return Simulator(seed=1)


@pytest.fixture
def write(tmp_path):
    def put(text, name="net.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def test_annotated_topology(sim, write):
    file = read_topology(write(GOOD))
    assert [(r.name, r.comment, r.x, r.y, r.partition) for r in file.routers] == [
        ("A", "Vienna", 16.4, 48.2, 0),
        ("B", "NA", 15.4, 47.1, 1),
        ("C", "NA", 0.0, 0.0, 0),
    ]
    assert [(e.a, e.b, e.data_rate, e.metric, e.delay) for e in file.edges] == [
        ("A", "B", 10e6, 3, ms(5)),
        ("B", "C", 1e9, 1, 0),
        ("A", "C", 1e6, 2.5, 10_000),
    ]
    net = file.build(sim)
    assert list(net.nodes) == ["A", "B", "C"]
    assert [node.name for node in net.nodes.values()] == ["A", "B", "C"]
    assert [node.id for node in net.nodes.values()] == [0, 1, 2]
    link = net.link("B", "A")
    assert (link.data_rate, link.delay) == (10_000_000, ms(5))
    assert {device.queue.max_packets for device in link.devices} == {20}
    assert {device.queue.max_packets for device in net.link("B", "C").devices} == {100}
    lossy = net.link("A", "C")
    assert {device.queue.max_packets for device in lossy.devices} == {7}
    assert {device.error_model.rate for device in lossy.devices} == {0.5}
    with pytest.raises(ValueError, match="'Z'"):
        net.link("A", "Z")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("A NA 0 0", 1, "'A' comes before"),
        ("router\nA NA 0 0\nA NA 1 1", 3, "'A' is there already"),
        ("router\nA NA 0", 2, "3 columns"),
        ("router\nA NA north 0", 2, "y is 'north'"),
        ("router\nA NA 0 nan", 2, "x is 'nan'"),
        ("router\nA NA 0 0 -1", 2, "partition is '-1'"),
        ("router\nA\nB\nlink\nA B 1Mbps", 5, "3 columns"),
        ("router\nA\nB\nlink\nA Q 1Mbps 1", 5, "no router 'Q'"),
        ("router\nA\nB\n\n# x\nlink\nA A 1Mbps 1", 7, "link to itself"),
        ("router\nA\nB\nlink\nA B fast 1", 5, "bandwidth"),
        ("router\nA\nB\nlink\nA B 0bps 1", 5, "1 bit/s or more"),
        ("router\nA\nB\nlink\nA B 1Mbps -1", 5, "metric is '-1'"),
        ("router\nA\nB\nlink\nA B 1Mbps 1 soon", 5, "delay"),
        ("router\nA\nB\nlink\nA B 1Mbps 1 -1ms", 5, "delay is '-1ms'"),
        ("router\nA\nB\nlink\nA B 1Mbps 1 1ms 0", 5, "queue is '0'"),
        ("router\nA\nB\nlink\nA B 1Mbps 1 1ms 5 1.5", 5, "loss is '1.5'"),
        ("router\nA\nB\nlink\nA B 1Mbps 1\nB A 1Mbps 1", 6, "have a link already"),
        (b"router\nA\n\xff\n", 3, "UTF-8"),
    ],
)
def test_errors_name_the_line(write, text, line, message):
    path = write(text)
    with pytest.raises(TopologyError, match=message) as caught:
        read_topology(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}, line {line}: ")


@settings(max_examples=300)
@given(st.text(alphabet="AB #\n\t0159.-pMbmsrouterlinkNA", max_size=120))
def test_any_text_is_read_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_text(text, encoding="utf-8")
    try:
        file = read_topology(path)
    except TopologyError as error:
        assert error.line >= 1
    else:
        net = file.build(Simulator(seed=1))
        assert len(net.links) == len(file.edges)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_topology(tmp_path / "none.txt")


def test_rocketfuel_weights(sim, write):
    path = write("Atlanta,GA Chicago,IL 7.5\nChicago,IL Atlanta,GA 3\nChicago,IL Boston,MA 2\n")
    file = read_rocketfuel_weights(path, data_rate="1Gbps", delay_per_weight="2ms")
    assert [router.name for router in file.routers] == ["Atlanta,GA", "Chicago,IL", "Boston,MA"]
    assert [(e.a, e.b, e.metric, e.reverse_metric, e.delay, e.data_rate) for e in file.edges] == [
        ("Atlanta,GA", "Chicago,IL", 7.5, 3, ms(15), 1e9),
        ("Chicago,IL", "Boston,MA", 2, 2, ms(4), 1e9),
    ]
    assert len(file.build(sim).links) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A B", "2 columns"),
        ("A A 1", "itself"),
        ("A B x", "weight is 'x'"),
        ("A B 1\nA B 2", "already"),
    ],
)
def test_malformed_weights(write, text, message):
    with pytest.raises(TopologyError, match=message):
        read_rocketfuel_weights(write(text))
