"""Self-learning strategy, version 1 (NFD wiki, "Self-learning"; NFD 24.07).

Where no route is known an Interest is broadcast ("discovery"), and the announcement that comes
with the Data makes a route. Later Interests are marked as not for discovery and follow it.
"""

from __future__ import annotations

from simcore import seconds
from simcore.models.ndn.announcement import PrefixAnnouncement
from simcore.models.ndn.data import Data
from simcore.models.ndn.face import Face, LinkType
from simcore.models.ndn.fib import NextHop
from simcore.models.ndn.forwarder import Strategy, register_strategy
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpFields, NackReason
from simcore.models.ndn.name import Name
from simcore.models.ndn.pit import PitEntry
from simcore.models.ndn.tlv import TlvError

ROUTE_LIFETIME = seconds(600)

_DIRECTED = LpFields(non_discovery=True)
_DISCOVERY = LpFields()


class _Kinds:
    """Of a pending Interest: the faces that sent and got it marked as not for discovery."""

    def __init__(self) -> None:
        self.asked: set[int] = set()
        self.sent: set[int] = set()


@register_strategy
class SelfLearning(Strategy):
    """Learns routes from the announcements that come with Data."""

    name = "self-learning"
    version = 1

    def after_receive_interest(self, ingress: Face, interest: Interest, entry: PitEntry) -> int:
        """Follow the routes, or broadcast where there are none and discovery is allowed."""
        nexthops = self.lookup_fib(entry).nexthops
        kinds = entry.strategy_state
        if not isinstance(kinds, _Kinds):
            kinds = entry.strategy_state = _Kinds()
        fields = entry.in_fields(ingress)
        kinds.asked.discard(ingress.id)
        if fields is not None and fields.non_discovery:
            kinds.asked.add(ingress.id)
            if not nexthops:
                self.send_nack(NackReason.NO_ROUTE, ingress, entry)
                return self.reject(entry)
        if nexthops:
            self._follow(ingress, interest, entry, nexthops, kinds)
        else:
            self._broadcast(ingress, interest, entry, kinds)
        return 0

    def _follow(
        self,
        ingress: Face,
        interest: Interest,
        entry: PitEntry,
        nexthops: list[NextHop],
        kinds: _Kinds,
    ) -> None:
        for hop in nexthops:
            if self.is_eligible(ingress, interest, hop):
                kinds.sent.add(hop.face.id)
                self.send_interest_with(interest, hop.face, entry, _DIRECTED)

    def _broadcast(
        self, ingress: Face, interest: Interest, entry: PitEntry, kinds: _Kinds
    ) -> None:
        localhop = Name("/localhop").is_prefix_of(interest.name)
        if localhop and not ingress.is_local:
            return
        for number in sorted(self.forwarder.faces, reverse=True):
            face = self.forwarder.faces.get(number)
            if face is None or face.is_local:
                continue
            if face is ingress and face.link_type != LinkType.AD_HOC:
                continue
            kinds.sent.discard(face.id)
            self.send_interest_with(interest, face, entry, _DISCOVERY)

    def after_receive_data(self, data: Data, ingress: Face, entry: PitEntry) -> int:
        """Learn from the announcement, or give those who discover one that is known."""
        kinds = entry.strategy_state
        if ingress not in entry.out_faces:
            return 0
        if isinstance(kinds, _Kinds) and ingress.id in kinds.sent:
            if self._needs_announcement(entry, kinds):
                # Without one the Data goes as it is; NFD would not send it.
                known = self.forwarder.announced.find(data.name)
                if known is not None:
                    self.attach_announcement(known.wire)
        else:
            fields = self.data_fields
            if fields is not None and fields.prefix_announcement is not None:
                try:
                    announcement = PrefixAnnouncement.from_wire(fields.prefix_announcement)
                except TlvError:
                    # From a stranger: its Data is still good.
                    announcement = None
                if announcement is not None:
                    self.forwarder.announced.announce(announcement, ingress, ROUTE_LIFETIME)
        return self.send_data_to_all(data, ingress, entry)

    def _needs_announcement(self, entry: PitEntry, kinds: _Kinds) -> bool:
        now = self.forwarder.sim.now()
        discovers = beyond = False
        for face in entry.in_faces:
            state = entry.in_state(face)
            if state is not None and state[1] > now:
                discovers |= face.id not in kinds.asked
                beyond |= not face.is_local
        return discovers and beyond

    def after_receive_nack(
        self, ingress: Face, interest: Interest, reason: int, entry: PitEntry
    ) -> int:
        """Forget a route that leads nowhere."""
        if reason == NackReason.NO_ROUTE:
            self.send_nacks(reason, entry)
            self.forwarder.announced.renew(interest.name, ingress, 0)
        return 0
