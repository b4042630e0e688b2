"""Scenario: declared parameters, a network built from them, and a run that gives results.

A scenario is a class with a ``build`` method; its fields are the parameters, its docstring the
description::

    class Ping(Scenario):
        \"\"\"Two nodes and an echo.\"\"\"

        packets: int = parameter(10, min=1, help="echo requests")
        total_time: float = parameter(10, unit="s", help="simulated time")

        def build(self, sim): ...
        def report(self, sim): return {"rx_packets": ...}

    results = Ping(packets=3).run(seed=1)
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, dataclass_transform

from simcore.parameters import Parameter, ParameterError, declared, near_matches, parameter
from simcore.results import (
    MANIFEST_FILE,
    Results,
    check_metrics,
    file_digest,
    peak_rss_mb,
    results_digest,
)
from simcore.tables import Tables
from simcore.units import parse_time, to_seconds

if TYPE_CHECKING:
    from simcore.simulator import Simulator

__all__ = ["TRACE_KINDS", "Parameter", "ParameterError", "Progress", "Scenario", "parameter"]

#: Kinds of traces and the endings of their files.
TRACE_KINDS = {"ascii": ".tr", "pcap": ".pcap", "table": ".parquet"}
_SOURCES = {
    "ascii": ("ascii_sources",),
    "pcap": ("pcap_sources",),
    "table": ("table_sources", "ascii_sources"),
}
_WRITERS = {"ascii": "AsciiTrace", "pcap": "PcapTrace", "table": "TableTrace"}


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come.

    Attributes
    ----------
    sim_time, until
        Simulated time and the end of the run in nanoseconds; ``until`` is None if there is no end.
    events
        Events run so far.
    wall_time
        Seconds since the run began.
    """

    sim_time: int
    until: int | None
    events: int
    wall_time: float


@dataclass_transform(kw_only_default=True, field_specifiers=(parameter,))
class Scenario:
    """Base of all scenarios. Subclasses become dataclasses; their fields are the parameters.

    Values are checked whenever they are set, against the type, unit and range of the declaration;
    texts with a unit ("0.512kbps", "20 m/s") are accepted for fields that have one.

    Raises
    ------
    ParameterError
        If a value does not fit its parameter.
    """

    #: Metrics that depend on the machine; the digest leaves them out.
    machine_metrics: ClassVar[frozenset[str]] = frozenset()

    _parameters: ClassVar[dict[str, Parameter] | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._parameters = None
        dataclasses.dataclass(kw_only=True)(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        declaration = self.parameters().get(name)
        if declaration is not None:
            value = declaration.check(value)
        super().__setattr__(name, value)

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return the declared parameters by name, in the order of declaration."""
        if cls._parameters is None:
            cls._parameters = declared(cls) if dataclasses.is_dataclass(cls) else {}
        return cls._parameters

    @classmethod
    def scenario_name(cls) -> str:
        """Return the name on the command line: ``WifiManager`` is "wifi-manager"."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", cls.__name__).lower()

    @classmethod
    def description(cls) -> str:
        """Return the docstring without its indentation, "" if there is none."""
        import inspect

        # A dataclass without a docstring gets its signature as one.
        text = cls.__dict__.get("__doc__") or ""
        return "" if text.startswith(f"{cls.__name__}(") else inspect.cleandoc(text)

    @classmethod
    def from_parameters(cls, values: Mapping[str, Any]) -> Self:
        """Make a scenario from values by name, texts included.

        Raises
        ------
        ParameterError
            If a name is no parameter of the scenario, or a value does not fit.
        """
        known = cls.parameters()
        for name, value in values.items():
            if name not in known:
                near = near_matches(name, known)
                hint = f"; did you mean {' or '.join(near)}?" if near else ""
                raise ParameterError(
                    f"{cls.scenario_name()} has no parameter {name!r}{hint}", name, value
                )
        return cls(**values)

    def parameter_values(self) -> dict[str, Any]:
        """Return all parameters with their values, for the manifest."""
        values = {name: getattr(self, name) for name in self.parameters()}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }

    # What a scenario defines

    def build(self, sim: Simulator) -> None:
        """Create nodes, links and applications in ``sim``. Every scenario defines this."""
        raise NotImplementedError(f"{type(self).__name__} must define build(self, sim)")

    def report(self, sim: Simulator) -> dict[str, Any]:
        """Return the metrics at the end of a run: a flat mapping of numbers by name."""
        return {}

    def tables(self, sim: Simulator) -> Mapping[str, Any]:
        """Return tables by name, each a mapping of columns or a ``pyarrow.Table``."""
        return {}

    def horizon(self) -> int | None:
        """Return the simulated time (ns) at which a run ends by default.

        This is the parameter ``total_time`` (in its unit, seconds if it has none). A scenario
        without it runs until no event is left.

        Raises
        ------
        ParameterError
            When it is past the end of time.
        """
        declaration = self.parameters().get("total_time")
        if declaration is None:
            return None
        total_time = self.parameter_values()["total_time"]
        try:
            return parse_time(total_time, declaration.unit or "s", "total_time")
        except OverflowError as error:
            raise ParameterError(str(error), "total_time", total_time) from None

    def own_traces(self, sim: Simulator) -> Mapping[str, Any]:
        """Return the traces that `build` opened, by name; their ``digest()`` enters the results'.

        Names do not depend on where the files are: the parameter that named one serves well.
        """
        return {}

    def traced(self, sim: Simulator) -> Iterable[Any]:
        """Return the devices that ``--trace`` writes about: all of them by default.

        A model package hands them in by an object in ``sim.registry`` with a method
        ``traced_devices()``.
        """
        for state in sim.registry.values():
            if hasattr(state, "traced_devices"):
                yield from state.traced_devices()

    # Running

    def run(
        self,
        *,
        seed: int = 1,
        run: int = 1,
        until: int | str | None = None,
        out: str | os.PathLike[str] | None = None,
        trace: Iterable[str] = (),
        scheduler: str = "heap",
        progress: Callable[[Progress], None] | None = None,
        on_partial: Callable[[Results], None] | None = None,
    ) -> Results:
        """Build the network, run it and return the results.

        Parameters
        ----------
        seed, run
            Seed of the random streams, and which of its independent replications to use.
        until
            Simulated time to stop at: nanoseconds or a text such as "600s"; the scenario's own
            :meth:`horizon` by default. Events at that time still run.
        out
            Folder for results and traces, made if needed.
        trace
            Any of "ascii", "pcap", "table": files NAME.tr, NAME.pcap, NAME.parquet in ``out`` or
            else in the current folder.
        scheduler
            Kind of the pending-event set.
        progress
            Called about ten times a second with a :class:`Progress`.
        on_partial
            Called with partial results, before the exception goes on, if the run is interrupted
            or fails. With ``out``, partial results are saved there as well, and marked.

        Raises
        ------
        ParameterError
            If an argument does not fit.
        OSError
            If ``out`` cannot be written; this is found out before the run.
        KeyboardInterrupt
            On Ctrl-C.
        Exception
            What a handler raised.
        """
        from simcore.simulator import Simulator

        end = self._end(until)
        kinds = _trace_kinds(trace)
        folder = None if out is None else writable_folder(out)
        try:
            sim = Simulator(seed, run, cast(Any, scheduler))
        except (ValueError, OverflowError) as wrong:
            name = next((word for word in ("run", "scheduler") if word in str(wrong)), "seed")
            raise ParameterError(str(wrong), name) from None
        if folder is not None:
            # An earlier run's manifest must not vouch for what this one leaves behind.
            (folder / MANIFEST_FILE).unlink(missing_ok=True)
        started = time.perf_counter()
        writers: list[Any] = []
        files: list[Path] = []
        digests: dict[str, str] = {}
        status = "done"
        error: BaseException | None = None
        hook = _progress_hook(progress, end, started)
        try:
            try:
                self._build(sim)
                self._open_traces(sim, kinds, folder or Path(), writers, files)
                sim.run(end, progress=hook)
                digests = {
                    Path(writer.path).name: writer.digest()
                    for writer in writers
                    if hasattr(writer, "digest")
                }
                for name, writer in self.own_traces(sim).items():
                    digests[name] = writer.digest()
            finally:
                _close(writers)
            for path in files:
                if path.name not in digests:
                    digests[path.name] = f"sha256:{file_digest(path).hex()}"
        except ParameterError:
            # Parameters that contradict each other: nothing was simulated yet.
            raise
        except KeyboardInterrupt as caught:
            status, error = "interrupted", caught
        except (Exception, SystemExit) as caught:
            status, error = "failed", caught
        wall_time = time.perf_counter() - started
        results, error = self._results(sim, status, error, files, digests)
        results.seed, results.run = seed, run
        results.wall_time_s = wall_time
        if folder is not None:
            try:
                try:
                    results.save(folder)
                except KeyboardInterrupt as caught:
                    if error is None:
                        results.status, error = "interrupted", caught
                    results.save(folder)
            except OSError as unwritten:
                if error is None:
                    results.status, error = "failed", unwritten
                    results.error = _describe(unwritten, sim)
        if error is None:
            return results
        if on_partial is not None:
            on_partial(results)
        raise error

    def _end(self, until: int | str | None) -> int | None:
        if until is None:
            return self.horizon()
        try:
            end = parse_time(until, "ns" if isinstance(until, int) else None, "until")
        except (ValueError, OverflowError, TypeError) as error:
            raise ParameterError(str(error), "until", until) from None
        if end < 0:
            raise ParameterError(f"until must not be negative: {until!r}", "until", until)
        return end

    def _build(self, sim: Simulator) -> None:
        """Build; a file that a parameter names and that does not serve is a wrong parameter."""
        try:
            self.build(sim)
        except (OSError, ValueError) as error:
            place = getattr(error, "filename", None)
            if place is None:
                place = getattr(error, "path", None)
            name = None if place is None else self._parameter_of(str(place))
            if name is not None:
                raise ParameterError(f"{name}: {error}", name, getattr(self, name)) from error
            raise

    def _parameter_of(self, place: str) -> str | None:
        """Return the parameter that a path was made of: it itself, or else its beginning."""
        given = {
            name: value
            for name, declared in self.parameters().items()
            if isinstance(value := getattr(self, name), str) and value != declared.default
        }
        for name, value in given.items():
            if Path(value) == Path(place):
                return name
        for name, value in given.items():
            if value and place.startswith(value):
                return name
        return None

    def _open_traces(
        self,
        sim: Simulator,
        kinds: Sequence[str],
        folder: Path,
        writers: list[Any],
        files: list[Path],
    ) -> None:
        if not kinds:
            return
        from simcore import trace

        devices = list(self.traced(sim))
        for kind in kinds:
            # A device offers a kind of trace by the method that names its sources for it.
            methods = _SOURCES[kind]
            able = [device for device in devices if any(hasattr(device, name) for name in methods)]
            if not able:
                raise ParameterError(
                    f"{self.scenario_name()} has nothing to trace as {kind}", "trace", kind
                )
            path = folder / f"{self.scenario_name()}{TRACE_KINDS[kind]}"
            writer = getattr(trace, _WRITERS[kind])(path)
            writers.append(writer)
            files.append(path)
            writer.attach(*able)

    def _results(
        self,
        sim: Simulator,
        status: str,
        error: BaseException | None,
        files: list[Path],
        digests: Mapping[str, str],
    ) -> tuple[Results, BaseException | None]:
        """Collect what there is; partial results take what a broken-off run can still report.

        Returned with it: the error of the run, or else of ``report`` or ``tables``.
        """
        metrics: dict[str, Any] = {}
        tables = Tables()
        try:
            metrics = check_metrics(self._reported("report", self.report(sim), "metrics"))
            tables = Tables(self._reported("tables", self.tables(sim), "tables"))
        except KeyboardInterrupt as caught:
            if status == "done":
                status, error = "interrupted", caught
        except (Exception, SystemExit) as caught:
            if status == "done":
                status, error = "failed", caught
        kept = [path for path in files if path.exists()]
        results = Results(
            scenario=self.scenario_name(),
            parameters=self.parameter_values(),
            seed=0,
            run=0,
            metrics=metrics,
            tables=tables,
            events=sim.event_count,
            sim_time_s=to_seconds(sim.now()),
            peak_rss_mb=round(peak_rss_mb(), 1),
            status=status,
            error=None if status != "failed" else _describe(error, sim),
            files=[str(path) for path in kept],
        )
        results.digest = results_digest(results.metrics, tables, digests, self.machine_metrics)
        return results, error

    def _reported(self, method: str, value: Any, what: str) -> Any:
        if not isinstance(value, Mapping):
            raise TypeError(
                f"{type(self).__name__}.{method}() must return a mapping of {what} by name,"
                f" not {'None' if value is None else type(value).__name__}"
            )
        return value


def _describe(error: BaseException | None, sim: Simulator) -> str:
    text = f"{type(error).__name__}: {error}"
    return f"{text} ({sim.failure})" if sim.failure is not None else text


def _trace_kinds(trace: Iterable[str]) -> list[str]:
    kinds = [trace] if isinstance(trace, str) else list(dict.fromkeys(trace))
    for kind in kinds:
        if kind not in TRACE_KINDS:
            near = near_matches(kind, TRACE_KINDS)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise ParameterError(
                f"trace cannot be {kind!r}{hint}; it is one of: {', '.join(TRACE_KINDS)}",
                "trace",
                kind,
            )
    return kinds


def _progress_hook(
    progress: Callable[[Progress], None] | None, end: int | None, started: float
) -> Callable[[Any], None] | None:
    if progress is None:
        return None

    def hook(sim: Any) -> None:
        progress(Progress(sim.now(), end, sim.event_count, time.perf_counter() - started))

    return hook


def _close(writers: Iterable[Any]) -> None:
    """Close all writers, even if one of them fails; the first failure goes on."""
    first: Exception | None = None
    for writer in writers:
        try:
            writer.close()
        except Exception as error:
            first = first or error
    if first is not None:
        raise first


def writable_folder(out: str | os.PathLike[str]) -> Path:
    """Return the folder, made if needed, after having tried that a file can be written there.

    Raises
    ------
    OSError
        If it cannot.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / f".writable.{os.getpid()}"
    try:
        probe.touch()
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    return folder
