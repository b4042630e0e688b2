"""What the NDN examples must show."""

from __future__ import annotations

import pytest

from simcore.examples.ndn_adhoc import NdnAdhoc
from simcore.examples.ndn_congestion import NdnCongestion
from simcore.examples.ndn_grid import NdnGrid
from simcore.examples.ndn_simple import NdnSimple
from simcore.examples.ndn_tree import NdnTree
from simcore.examples.ndn_zipf import NdnZipf, che_hit_ratio
from simcore.models.ndn.stack import face_towards
from simcore.scenario import ParameterError

# /dst1/seq=300, Nonce, InterestLifetime: and /dst1/seq=300, MetaInfo, Content of 1,024 bytes with
# its header, DigestSha256 (NDN Packet Format Specification 0.3).
INTEREST = 2 + 2 + 6 + 4 + 6 + 4
DATA = 4 + 2 + 6 + 4 + 2 + 4 + 1024 + 5 + 34
PPP = 2


def test_simple_delay_follows_from_the_bytes():
    result = NdnSimple(frequency=20, payload_size=1024).run()
    # /prefix/seq=n has 11 bytes up to 255, then 12.
    delays = result.tables["delays"].column("DelayS").to_pylist()
    interest = 2 + 2 + 11 + 6 + 4 + 3 + 4
    data = 4 + 2 + 11 + 2 + 4 + 1024 + 5 + 34 + 3 + 8
    expected = 2 * (2 * 0.01 + (interest + data + 2 * PPP) * 8 / 1e6)
    assert delays[:500] == pytest.approx([expected] * 500, abs=1e-9)
    assert result.metrics["mean_hops"] == 2
    assert result.metrics["data"] == 399


@pytest.mark.parametrize("paths", ["shortest", "loop-free"])
def test_grid_takes_the_shortest_way(paths):
    metrics = NdnGrid(paths=paths, total_time=5).run().metrics
    assert metrics["mean_hops"] == 4
    assert metrics["retransmissions"] == 0
    assert metrics["interests"] - metrics["data"] < 15


def test_grid_with_multicast_uses_all_ways():
    one = NdnGrid(paths="loop-free", total_time=5).run().metrics
    all_ways = NdnGrid(paths="loop-free", strategy="multicast", total_time=5).run().metrics
    assert all_ways["interests_forwarded"] > 2 * one["interests_forwarded"]
    assert all_ways["data"] >= one["data"]


def test_tree_aggregates_and_caches(tmp_path):
    result = NdnTree(trace_prefix=f"{tmp_path}/", total_time=5).run()
    metrics = result.metrics
    # Both leaves of a router ask at once: one Interest goes on; of the second router's, the root
    # has the Data.
    assert metrics["root_interests"] == pytest.approx(metrics["interests"] / 2, abs=4)
    assert metrics["cache_hits"] == pytest.approx(metrics["interests"] / 4, abs=4)
    files = {name: (tmp_path / f"{name}.txt").read_text() for name in result.tables}
    assert set(files) == {"rates", "drops", "cache", "delays"}
    for name, text in files.items():
        lines = text.splitlines()
        assert lines[0].split("\t") == result.tables[name].column_names
        assert len(lines) == result.tables[name].num_rows + 1


def test_tree_of_a_file(tmp_path):
    path = tmp_path / "net.txt"
    path.write_text("router\nleaf-x\nroot\nlink\nleaf-x root 1Mbps 1 5ms\n")
    metrics = NdnTree(topology=str(path), frequency=10, total_time=2).run().metrics
    assert metrics["data"] == 20
    path.write_text("router\nleaf-x\nroot\nlink\nleaf-x root 1Mbps one\n")
    with pytest.raises(ParameterError, match=r"net\.txt, line 5: metric is 'one'"):
        NdnTree(topology=str(path)).run()
    path.write_text("router\nroot\n")
    with pytest.raises(ParameterError, match="a root and a leaf"):
        NdnTree(topology=str(path)).run()
    with pytest.raises(ParameterError, match="topology"):
        NdnTree(topology=str(tmp_path / "none.txt")).run()


# Of the bottleneck's rate the share that is content.
CONTENT = 1024 / (DATA + PPP)


def test_bottleneck_with_too_many_interests_is_full_and_drops_the_rest():
    """Two times 100 Interests a second ask for 1.7 Mbit/s over 1 Mbit/s."""
    scenario = NdnCongestion(consumer="cbr", marking=False, total_time=30)
    metrics = scenario.run().metrics
    # Data of retransmitted Interests cross it twice now and then.
    face = face_towards(scenario.net.nodes["Rtr1"], scenario.net.nodes["Rtr2"])
    crossed = face.counters.in_data
    # Nothing until the first Interests were there.
    assert crossed * (DATA + PPP) * 8 / 1e6 == pytest.approx(30 - 0.041, rel=0.001)
    assert metrics["bottleneck_drops"] == pytest.approx(200 * 30 - crossed, rel=0.03)
    assert metrics["bottleneck_use"] > 0.95 * CONTENT
    assert metrics["fairness"] > 0.9


def test_window_has_the_delay_of_littles_law():
    metrics = NdnCongestion(consumer="window", window=8, total_time=30).run().metrics
    assert metrics["bottleneck_drops"] == metrics["retransmissions"] == 0
    assert metrics["bottleneck_use"] == pytest.approx(CONTENT, rel=0.01)
    assert metrics["mean_delay_ms"] == pytest.approx(16 * (DATA + PPP) * 8e-3, rel=0.01)
    assert metrics["fairness"] == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("consumer", ["aimd", "cubic"])
def test_marks_keep_the_queue_short_and_the_link_busy(consumer):
    marked = NdnCongestion(consumer=consumer, total_time=60).run().metrics
    blind = NdnCongestion(consumer=consumer, marking=False, total_time=60).run().metrics
    assert marked["marks"] > 100
    assert blind["marks"] == 0
    for metrics in (marked, blind):
        assert metrics["bottleneck_use"] > 0.98 * CONTENT
        assert metrics["fairness"] > 0.98
    # Losses are those of the slow start only.
    assert marked["bottleneck_drops"] < 40 < 100 < blind["bottleneck_drops"]
    assert marked["mean_delay_ms"] < 0.75 * blind["mean_delay_ms"]


def test_congestion_needs_its_routers(tmp_path):
    path = tmp_path / "net.txt"
    path.write_text("router\nSrc1\nRtr1\nRtr2\nlink\nRtr1 Rtr2 1Mbps 1\n")
    with pytest.raises(ParameterError, match="'Dst1'"):
        NdnCongestion(topology=str(path)).run()
    path.write_text("router\nSrc1\nDst1\nRtr1\nRtr2\nlink\nSrc1 Rtr1 1Mbps 1\n")
    with pytest.raises(ParameterError, match="Rtr1"):
        NdnCongestion(topology=str(path)).run()


@pytest.mark.parametrize("capacity", [0, 50, 300, 1000])
def test_cache_hits_are_those_of_che(capacity):
    metrics = NdnZipf(cs_capacity=capacity, total_time=65, warm_up=10).run().metrics
    assert metrics["cache_hits"] + metrics["cache_misses"] == pytest.approx(65_000, rel=0.02)
    if capacity < 1000:
        # 55,000 requests: 0.2 % is one standard error; Che's approximation is good to 1 %.
        assert metrics["hit_ratio"] == pytest.approx(metrics["che_hit_ratio"], abs=0.01)
    else:
        assert metrics["hit_ratio"] > 0.99


def test_che_of_equal_contents_is_the_share_that_fits():
    """All contents alike: each is in the cache with the probability capacity / contents."""
    assert che_hit_ratio([0.01] * 100, 25) == pytest.approx(0.25, rel=1e-6)


def test_adhoc_chain():
    metrics = NdnAdhoc(total_time=5).run().metrics
    assert metrics["mean_hops"] == 4
    assert metrics["data"] >= 49
    assert metrics["retransmissions"] == 0
    # Each node says an Interest once, the producer's as well; and Data once, but for the consumer.
    assert metrics["interest_broadcasts"] == pytest.approx(5 * metrics["interests"], abs=5)
    assert metrics["data_broadcasts"] == pytest.approx(4 * metrics["data"], abs=4)


def test_adhoc_chain_that_is_broken():
    metrics = NdnAdhoc(nodes=4, spacing=200, total_time=5).run().metrics
    assert metrics["data"] == 0
    assert metrics["retransmissions"] > 0


def test_hop_limit_ends_the_flood():
    # The consumer's forwarder takes the first of five, and none is left for a broadcast after four.
    assert NdnAdhoc(hop_limit=5, total_time=2).run().metrics["data"] > 0
    assert NdnAdhoc(hop_limit=4, total_time=2).run().metrics["data"] == 0
