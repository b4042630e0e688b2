from __future__ import annotations

import pytest

from simcore.models.ndn import Interest
from simcore.models.ndn.helpers import choose_strategy, set_regions
from simcore.models.ndn.stack import install
from simcore.models.ndn.strategies.multicast import Multicast
from simcore.models.network import create_nodes


def test_each_node_has_a_strategy_of_its_own(sim):
    nodes = create_nodes(sim, 3)
    install(nodes)
    choose_strategy(nodes, "/video", "multicast")
    choose_strategy(nodes[0], "/audio", Multicast)
    chosen = [node.ndn.strategy_choice.find("/video/1") for node in nodes]
    assert {type(strategy) for strategy in chosen} == {Multicast}
    assert len(set(map(id, chosen))) == 3
    assert isinstance(nodes[0].ndn.strategy_choice.find("/audio"), Multicast)
    with pytest.raises(ValueError, match="not one instance"):
        choose_strategy(nodes, "/p", chosen[0])


def test_regions(sim):
    nodes = create_nodes(sim, 2)
    install(nodes)
    set_regions(nodes, ["/isp/east", "/isp/west"])
    hint = Interest("/p", forwarding_hint=["/isp/east"]).forwarding_hint
    assert all(node.ndn.network_region.is_in_producer_region(hint) for node in nodes)
