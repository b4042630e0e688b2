"""Trace sources: connecting, order, changes during an emission, errors, names."""

import gc
import weakref

import pytest

from simcore import Simulator
from simcore.trace import AsciiTrace
from simcore.trace.source import TraceSet, TraceSink, TraceSource


class Model:
    def __init__(self):
        self.trace = TraceSet(self, tx="frame (Packet)", rx="frame, SNR (dB)")

    def listen(self, *args):
        return self, args


def test_a_callable_gets_the_arguments_of_each_emission():
    model = Model()
    seen = []
    model.trace.tx.connect(lambda *args: seen.append(args))
    model.trace.tx.emit()
    model.trace.tx.emit(1)
    model.trace.tx.emit(1, 2)
    model.trace.tx.emit(1, 2, 3)
    assert seen == [(), (1,), (1, 2), (1, 2, 3)]
    with pytest.raises(TypeError, match="4 arguments"):
        model.trace.tx.emit(1, 2, 3, 4)


def test_active_follows_the_listeners():
    source = Model().trace.tx
    assert source.active is False

    def first():
        pass

    def second():
        pass

    source.connect(first)
    source.connect(second)
    assert source.active is True
    assert source.listeners == (first, second)
    source.disconnect(first)
    assert source.active is True
    source.disconnect(second)
    assert source.active is False
    assert source.listeners == ()


def test_details_are_for_those_who_look_at_more_than_the_first_argument(tmp_path):
    model = Model()
    source = model.trace.tx
    assert source.details is False
    with AsciiTrace(tmp_path / "run.tr") as trace:
        trace.attach_source("t", source, "/Tx", owner=Simulator())
        assert source.active is True
        assert source.details is False
        seen = source.connect(lambda *args: None)
        assert source.details is True
        source.disconnect(seen)
        assert source.details is False
    assert source.active is False


def test_callables_are_called_in_the_order_of_connection():
    source = Model().trace.tx
    order = []
    for number in range(5):
        source.connect(lambda number=number: order.append(number))
    source.emit()
    assert order == [0, 1, 2, 3, 4]


def test_connected_twice_is_called_twice_and_disconnected_once_each():
    source = Model().trace.tx
    calls = []

    def listener():
        calls.append(1)

    source.connect(listener)
    source.connect(listener)
    source.emit()
    assert len(calls) == 2
    source.disconnect(listener)
    source.emit()
    assert len(calls) == 3


def test_bound_methods_can_be_disconnected():
    source = Model().trace.tx
    seen = []
    source.connect(seen.append)
    source.emit("a")
    source.disconnect(seen.append)
    source.emit("b")
    assert seen == ["a"]


def test_connect_is_a_decorator():
    source = Model().trace.tx

    @source.connect
    def listener():
        return 3

    assert listener() == 3
    assert source.listeners == (listener,)


def test_disconnecting_during_an_emission_takes_effect_from_the_next():
    source = Model().trace.tx
    calls = []

    def first():
        calls.append("first")
        source.disconnect(first)
        source.disconnect(second)

    def second():
        calls.append("second")

    source.connect(first)
    source.connect(second)
    source.emit()
    source.emit()
    assert calls == ["first", "second"]


def test_connecting_during_an_emission_takes_effect_from_the_next():
    source = Model().trace.tx
    calls = []

    def late():
        calls.append("late")

    def first():
        calls.append("first")
        if len(calls) == 1:
            source.connect(late)

    source.connect(first)
    source.emit()
    assert calls == ["first"]
    source.emit()
    assert calls == ["first", "first", "late"]


def test_a_listener_that_raises_stops_the_run():
    sim = Simulator()
    model = Model()
    calls = []

    def broken(frame):
        raise ZeroDivisionError("listener")

    model.trace.tx.connect(broken)
    model.trace.tx.connect(calls.append)
    sim.schedule(5, model.trace.tx.emit, "frame")
    sim.schedule(6, calls.append, "never")
    with pytest.raises(ZeroDivisionError, match="listener"):
        sim.run()
    assert calls == []
    assert sim.now() == 5


def test_a_sink_without_notify_is_an_error():
    source = Model().trace.tx
    sink = TraceSink()
    assert source.connect(sink) is sink
    assert source.listeners == (sink,)
    with pytest.raises(NotImplementedError, match="TraceSink"):
        source.emit()
    source.disconnect(sink)
    source.emit()


def test_wrong_listeners_are_named():
    source = Model().trace.tx
    with pytest.raises(TypeError, match="'tx' is 3"):
        source.connect(3)
    with pytest.raises(ValueError, match="not connected to trace source 'tx'"):
        source.disconnect(print)
    with pytest.raises(ValueError, match="not connected to trace source 'tx'"):
        source.disconnect(TraceSink())


def test_unknown_sources_list_the_known_ones():
    trace = Model().trace
    with pytest.raises(AttributeError, match="no trace source 'xt'; there are: tx, rx"):
        _ = trace.xt
    with pytest.raises(KeyError, match="no trace source 'xt'; there are: tx, rx"):
        trace["xt"]
    assert not hasattr(trace, "xt")
    assert getattr(TraceSet(None), "tx", None) is None


def test_sources_can_be_explored():
    model = Model()
    trace = model.trace
    assert [source.name for source in trace] == ["tx", "rx"]
    assert len(trace) == 2
    assert "tx" in trace
    assert "xt" not in trace
    assert trace["rx"] is trace.rx
    assert {"tx", "rx"} <= set(dir(trace))
    assert trace.rx.doc == "frame, SNR (dB)"
    assert trace.rx.owner is model
    assert repr(trace) == "<TraceSet tx, rx>"
    assert repr(trace.tx) == "<TraceSource 'tx' of Model, 0 listeners>"


def test_a_source_can_have_any_name():
    trace = TraceSet("node", owner="who", doc="what", name="which")
    assert [source.name for source in trace] == ["owner", "doc", "name"]
    assert trace.owner.owner == "node"


def test_models_with_traces_are_collected():
    model = Model()
    model.trace.tx.connect(model.listen)
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None


def test_a_source_can_stand_alone():
    source = TraceSource(None, "queue", "length in packets")
    seen = []
    source.connect(seen.append)
    source.emit(3)
    assert seen == [3]
    with pytest.raises(TypeError):
        TraceSource(None, None)
