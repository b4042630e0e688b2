"""Routes, strategies, regions and broken links of a network, by nodes."""

from simcore.models.ndn.helpers.global_routing import GlobalRouting
from simcore.models.ndn.helpers.links import fail_link, link_between, restore_link
from simcore.models.ndn.helpers.routes import (
    add_route,
    choose_strategy,
    remove_route,
    set_regions,
)

__all__ = [
    "GlobalRouting",
    "add_route",
    "choose_strategy",
    "fail_link",
    "link_between",
    "remove_route",
    "restore_link",
    "set_regions",
]
