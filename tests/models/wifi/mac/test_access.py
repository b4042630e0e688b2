"""Access timing against the cases of ns-3's channel-access test (tests/reference/ns3)."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from simcore import Simulator
from simcore.models.wifi.testing import AccessProbe

REFERENCE = Path(__file__).parents[3] / "reference/ns3/test_dcf_channel_access.json"
CASES = json.loads(REFERENCE.read_text())["tests"]
US = 1_000
# Unless a case says otherwise (ChannelAccessManagerTest::Params of ns-3).
DEFAULTS = {"slotTime": 4, "sifs": 6, "eifsNoDifsNoSifs": 10, "resetBackoffThr": 0}
ACK_TIMEOUT = 20

NOT_COVERED = {
    40: "a second PHY taking the link over without a gap (multi-link operation): a station here "
    "has one PHY",
}


class AccessCase:
    """Performs the operations of one case; all times in microseconds."""

    def __init__(self, case: dict[str, Any]) -> None:
        parameters = DEFAULTS | case["params"]
        self.qos = case["txop_class"] == "QosTxop"
        self.sim = Simulator(seed=1)
        self.forget_after = parameters["resetBackoffThr"]
        self.probe = AccessProbe(
            self.sim,
            parameters["slotTime"] * US,
            parameters["sifs"] * US,
            parameters["eifsNoDifsNoSifs"] * US,
            self.granted,
            self.collided,
            self.forget_after * US,
        )
        self.grants: list[deque[tuple[int, int]]] = []
        self.backoffs: list[deque[tuple[int, int]]] = []
        self.collisions: list[deque[tuple[int, int]]] = []
        for name, *arguments in case["ops"]:
            getattr(self, name)(*arguments)

    def run(self) -> None:
        self.sim.run()
        for expected in self.grants + self.backoffs + self.collisions:
            assert not expected

    def at(self, time: int, function: Any, *arguments: Any) -> None:
        self.sim.schedule_at(time * US, function, *arguments)

    def now(self) -> int:
        assert self.sim.now() % US == 0
        return self.sim.now() // US

    # What the probe reports

    def granted(self, index: int) -> bool:
        duration, expected = self.grants[index].popleft()
        assert self.now() == expected, "access granted"
        self.probe.take(index)
        self.probe.tx_started((expected + duration) * US)
        self.probe.ack_timeout_started((expected + duration + ACK_TIMEOUT) * US)
        return True

    def collided(self, index: int) -> None:
        expected, slots = self.collisions[index].popleft()
        assert self.now() == expected, "internal collision"
        self.probe.start_backoff(index, slots)

    def backoff(self, index: int) -> None:
        expected, slots = self.backoffs[index].popleft()
        assert self.now() == expected, "back-off"
        self.probe.start_backoff(index, slots)

    # Operations

    def AddTxop(self, aifsn: int) -> None:
        self.probe.add(aifsn, self.qos)
        for expected in (self.grants, self.backoffs, self.collisions):
            expected.append(deque())

    def ExpectBackoff(self, time: int, slots: int, index: int) -> None:
        self.backoffs[index].append((time, slots))

    def ExpectInternalCollision(self, time: int, slots: int, index: int) -> None:
        self.collisions[index].append((time, slots))

    def ExpectBusy(self, time: int, busy: str) -> None:
        def check() -> None:
            assert self.probe.medium_busy() is (busy == "true")

        self.at(time, check)

    def AddAccessRequestWithAckTimeout(
        self, time: int, duration: int, expected: int, index: int
    ) -> None:
        def request() -> None:
            self.grants[index].append((duration, expected))
            if self.probe.queue(index):
                self.backoff(index)
            self.probe.request(index)

        self.at(time, request)

    def AddAccessRequestWithSuccessfulAck(
        self, time: int, duration: int, expected: int, ack_delay: int, index: int
    ) -> None:
        self.AddAccessRequestWithAckTimeout(time, duration, expected, index)
        self.at(expected + duration + ack_delay, self.probe.ack_timeout_reset)

    def AddAccessRequest(self, time: int, duration: int, expected: int, index: int) -> None:
        self.AddAccessRequestWithSuccessfulAck(time, duration, expected, 0, index)

    def AddRxStartEvt(self, time: int, duration: int) -> None:
        self.at(time, self.probe.rx_started, (time + duration) * US)

    AddRxInsideSifsEvt = AddRxStartEvt

    def AddRxOkEvt(self, time: int, duration: int) -> None:
        self.AddRxStartEvt(time, duration)
        self.at(time + duration, self.probe.rx_ended, True)

    def AddRxErrorEvt(self, time: int, duration: int, until_error: int | None = None) -> None:
        self.AddRxStartEvt(time, duration)
        error = time + (duration if until_error is None else until_error)
        self.at(error, self.probe.rx_ended, False)
        if until_error is not None:
            self.at(error, self.probe.busy, (time + duration) * US)

    def AddTxEvt(self, time: int, duration: int) -> None:
        self.at(time, self.probe.tx_started, (time + duration) * US)

    def AddCcaBusyEvt(self, time: int, duration: int, channel: str = "primary") -> None:
        # Access depends on the primary channel alone (802.11-2020 10.23.2.5); secondary ones
        # bound the width of what is then sent, and are not told to ChannelAccess.
        if channel == "primary":
            self.at(time, self.probe.busy, (time + duration) * US)

    def AddNavStart(self, time: int, duration: int) -> None:
        self.at(time, self.probe.nav_started, (time + duration) * US)

    def AddNavReset(self, time: int, duration: int) -> None:
        self.at(time, self.probe.nav_reset, (time + duration) * US)

    def AddSwitchingEvt(self, time: int, duration: int) -> None:
        def switch() -> None:
            self.probe.switching_started((time + duration) * US)
            for index, expected in enumerate(self.grants):
                assert not self.probe.waiting(index)
                # What was to be granted at this instant is lost with the old channel.
                if expected:
                    assert expected.popleft()[1] == self.now()
                    self.probe.take(index)

        self.at(time, switch)

    def suspended(self, time: int, duration: int, draw: bool) -> None:
        def back() -> None:
            assert self.probe.resume() is (duration > self.forget_after)
            if duration > self.forget_after:
                for index in range(len(self.grants)):
                    if draw:
                        self.backoff(index)
                    self.probe.request(index)

        self.at(time, self.probe.suspend)
        self.at(time + duration, back)

    def AddPhySleepEvt(self, time: int, duration: int) -> None:
        self.suspended(time, duration, draw=True)

    AddPhyOffEvt = AddPhySleepEvt

    def AddPhyDisconnectEvt(self, time: int, duration: int, index: int) -> None:
        assert index == 0
        self.suspended(time, duration, draw=False)


def test_all_cases_are_here() -> None:
    assert len(CASES) == 45


@pytest.mark.parametrize("number", range(len(CASES)))
def test_timing(number: int) -> None:
    if number in NOT_COVERED:
        pytest.skip(NOT_COVERED[number])
    AccessCase(CASES[number]).run()


def test_wrong_expectation_is_noticed() -> None:
    case = {
        "txop_class": "DCF",
        "params": {"slotTime": 1, "sifs": 3},
        "ops": [["AddTxop", 1], ["AddAccessRequest", 1, 1, 6, 0]],
    }
    with pytest.raises(AssertionError, match="access granted"):
        AccessCase(case).run()


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        (False, [31, 63, 127, 255, 511, 1023, 1023, 31, 63]),
        # ns-3.44 resets at the first failure after the retry limit.
        (True, [31, 63, 127, 255, 511, 1023, 1023, 1023, 31, 63]),
    ],
)
def test_contention_window_doubles_up_to_the_retry_limit(late: bool, expected: list[int]) -> None:
    probe = AccessProbe(Simulator(), 20_000, 10_000, 0, bool, bool)
    probe.add(2, cw_min=31, cw_max=1023)
    windows = [probe.txop(0).cw]
    for _ in expected[1:]:
        probe.widen_window(0, 7, late)
        windows.append(probe.txop(0).cw)
    assert windows == expected
    probe.reset_window(0)
    assert (probe.txop(0).cw, probe.txop(0).retries) == (31, 0)


def test_backoff_is_uniform_over_the_window() -> None:
    sim = Simulator(seed=3)
    probe = AccessProbe(sim, 20_000, 10_000, 0, bool, bool)
    probe.add(2, cw_min=7, cw_max=7)
    counts = [0] * 8
    for _ in range(8000):
        probe.draw_backoff(0)
        counts[probe.txop(0).backoff_slots] += 1
    # Chi square with 7 degrees of freedom: 24.3 at 0.1 %.
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 24.3


def test_function_that_sends_nothing_lets_the_next_one_go() -> None:
    sim = Simulator()
    order: list[int] = []

    def granted(index: int) -> bool:
        order.append(index)
        probe.take(index)
        if index == 0:
            return False
        probe.tx_started(sim.now() + 1_000_000)
        return True

    probe = AccessProbe(sim, 20_000, 10_000, 0, granted, bool)
    for _ in range(2):
        probe.add(2)
    for index in range(2):
        probe.queue(index)
        probe.request(index)
    sim.run()
    assert order == [0, 1]
    assert not probe.waiting(0)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"aifsn": -1}, "aifsn is -1"), ({"aifsn": 2, "cw_min": 31, "cw_max": 15}, "cw_max 15")],
)
def test_bad_parameters(options: dict[str, int], message: str) -> None:
    probe = AccessProbe(Simulator(), 20_000, 10_000, 0, bool, bool)
    with pytest.raises(ValueError, match=message):
        probe.add(**options)
