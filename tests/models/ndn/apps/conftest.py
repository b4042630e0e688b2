"""Nodes with a forwarder each, and links that only delay."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import pytest

from simcore import Simulator
from simcore.models.ndn import Forwarder
from simcore.models.ndn.testing import DelayFace, connect
from simcore.models.network import Node, create_nodes


class Line:
    """Nodes in a row; the last one is where ``/`` is routed to."""

    def __init__(
        self, sim: Simulator, count: int, delay: int = 10_000_000, **options: object
    ) -> None:
        self.sim = sim
        self.nodes: list[Node] = create_nodes(sim, count)
        self.links: list[tuple[DelayFace, DelayFace]] = []
        for node in self.nodes:
            node.ndn = Forwarder(sim, node.id, **options)
        for a, b in pairwise(self.nodes):
            self.links.append(connect(sim, a.ndn, b.ndn, delay))
            a.ndn.add_route("/", self.links[-1][0])

    def set_up(self, link: int, up: bool) -> None:
        for face in self.links[link]:
            face.up = up


@pytest.fixture
def line(sim):
    return partial(Line, sim)
