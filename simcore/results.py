"""Results of one run: metrics, tables and a manifest that says how they came about.

Numbers that are not finite: a metric or table cell keeps its NaN or infinity in Python and counts
in the digest as what it is (all NaNs alike); JSON has no such numbers and shows ``null``.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from simcore.tables import Tables, plain

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = [
    "MAX_INLINE_ROWS",
    "Results",
    "check_metrics",
    "file_digest",
    "peak_rss_mb",
    "results_digest",
    "versions",
]

#: Tables with more rows than this are left out of JSON and go to files only.
MAX_INLINE_ROWS = 10_000

MANIFEST_FILE = "manifest.json"
METRICS_FILE = "metrics.json"
TABLES_FOLDER = "tables"


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        own = version("simcore")
    except PackageNotFoundError:
        own = "unknown"
    return {"simcore": own, "python": platform.python_version()}


def peak_rss_mb() -> float:
    """Return the largest resident memory of this process so far, in MB (10**6 bytes)."""
    try:
        # Not getrusage: its maximum survives exec and so shows a large parent's memory.
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024 / 1e6
    except OSError:
        pass
    import resource

    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / 1e6


def file_digest(path: Path) -> bytes:
    """Return the sha256 of a trace file; of a Parquet file, of its values and not its bytes.

    Parquet names the library that wrote it, so equal tables can differ as files.
    """
    digest = hashlib.sha256()
    if path.suffix == ".parquet":
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(path) as parquet:
            for name in parquet.schema_arrow.names:
                column = parquet.read(columns=[name], use_threads=False).column(0)
                digest.update(b"column %s %d\n" % (name.encode(), len(column)))
                for part in _arrow_digests(column):
                    digest.update(part)
        return digest.digest()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.digest()


def _arrow_digests(column: Any) -> tuple[bytes, bytes]:
    """Hash gaps and values of a chunked column, wherever the chunks are cut."""
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    gaps = hashlib.sha256(str(column.type).encode())
    values = hashlib.sha256()
    numeric = pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type)
    numeric = numeric and not column.null_count
    for chunk in column.chunks:
        gaps.update(chunk.is_null().cast(pyarrow.uint8()).to_numpy(zero_copy_only=False))
        if numeric:
            numbers = chunk.to_numpy(zero_copy_only=False)
            values.update(numbers.astype(numbers.dtype.newbyteorder("<"), copy=False).tobytes())
        else:
            for value in chunk.to_pylist():
                text = repr(value).encode("utf-8", "surrogatepass")
                values.update(b"%d:%s" % (len(text), text))
    return gaps.digest(), values.digest()


def results_digest(
    metrics: Mapping[str, Any],
    tables: Tables,
    traces: Mapping[str, str] | None = None,
    exclude: Iterable[str] = (),
) -> str:
    """Return "sha256:..." over metrics, tables and trace files.

    Parameters
    ----------
    metrics
        Flat mapping; the order of its keys does not count.
    tables
        All tables, large ones too.
    traces
        Digests of trace files by their names without a folder; see :func:`file_digest`.
    exclude
        Metrics that depend on the machine, such as an events-per-second figure.
    """
    digest = hashlib.sha256(b"simcore results 1\n")
    left_out = set(exclude)
    for name in sorted(metrics):
        if name not in left_out:
            digest.update(b"metric %s %s\n" % (name.encode(), _canonical(metrics[name])))
    tables.update_digest(digest)
    for name, content in sorted((traces or {}).items()):
        digest.update(b"trace %s %s\n" % (name.encode(), content.encode()))
    return f"sha256:{digest.hexdigest()}"


def _canonical(value: Any) -> bytes:
    if isinstance(value, float):
        # repr gives the shortest text that reads back as the same double.
        return b"nan" if value != value else repr(value).encode()
    if isinstance(value, str):
        return json.dumps(value).encode()
    return repr(value).encode()


def check_metrics(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metrics as plain values; TypeError names one that is none."""
    checked: dict[str, Any] = {}
    for name, value in metrics.items():
        value = plain(value)
        if not isinstance(name, str):
            raise TypeError(f"a metric's name must be text: {name!r}")
        if not isinstance(value, (bool, int, float, str, type(None))):
            raise TypeError(
                f"metric {name!r} must be a number, a text or None, not"
                f" {type(value).__name__}; put lists into a table"
            )
        checked[name] = value
    return checked


def jsonable(value: Any) -> Any:
    """Return the value with numbers that JSON does not have replaced by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, (bool, int, str, type(None))):
        return value
    return str(value)


def _write_text(path: Path, text: str) -> None:
    """Write a file so that readers see the old or the new content and never half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@dataclass(kw_only=True)
class Results:
    """What one run gave.

    Attributes
    ----------
    scenario
        Name of the scenario, as on the command line.
    parameters
        All parameters with their values, in the units the scenario declares.
    seed, run
        What the random streams were made from.
    metrics
        Flat mapping of numbers (or texts) by name.
    tables
        Arrow tables by name.
    events
        Events that were run.
    sim_time_s, wall_time_s
        Simulated and real seconds.
    peak_rss_mb
        Largest resident memory of the process, MB.
    digest
        "sha256:..." over metrics, tables and traces: equal inputs give equal digests.
    versions
        Of simcore and Python.
    status
        "done", "interrupted" or "failed"; all but "done" mean partial results.
    error
        What went wrong, if the run failed.
    files
        Trace files that were written.
    """

    scenario: str
    parameters: dict[str, Any]
    seed: int
    run: int
    metrics: dict[str, Any]
    tables: Tables = field(default_factory=Tables)
    events: int = 0
    sim_time_s: float = 0.0
    wall_time_s: float = 0.0
    peak_rss_mb: float = 0.0
    digest: str = ""
    versions: dict[str, str] = field(default_factory=versions)
    status: str = "done"
    error: str | None = None
    files: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.metrics = check_metrics(self.metrics)
        if not isinstance(self.tables, Tables):
            self.tables = Tables(self.tables)
        if not self.digest:
            self.digest = results_digest(self.metrics, self.tables)

    @property
    def partial(self) -> bool:
        """Whether the run ended before it was meant to."""
        return self.status != "done"

    @property
    def manifest(self) -> dict[str, Any]:
        """How the results came about: everything but metrics and tables."""
        manifest: dict[str, Any] = {
            "scenario": self.scenario,
            "parameters": dict(self.parameters),
            "seed": self.seed,
            "run": self.run,
            "status": self.status,
            "events": self.events,
            "sim_time_s": self.sim_time_s,
            "wall_time_s": self.wall_time_s,
            "peak_rss_mb": self.peak_rss_mb,
            "digest": self.digest,
            "versions": dict(self.versions),
        }
        if self.error is not None:
            manifest["error"] = self.error
        if self.files:
            manifest["files"] = list(self.files)
        return manifest

    @property
    def large_tables(self) -> list[str]:
        """Names of the tables that are too long for JSON."""
        return [name for name in self.tables if self.tables.num_rows(name) > MAX_INLINE_ROWS]

    def to_dict(self) -> dict[str, Any]:
        """Return everything that JSON shows, as plain Python values.

        Tables of more than ``MAX_INLINE_ROWS`` rows are left out. ``status`` (and ``error``) are
        there only for partial results, ``files`` only if there are traces.
        """
        large = set(self.large_tables)
        content: dict[str, Any] = {
            "scenario": self.scenario,
            "parameters": self.parameters,
            "seed": self.seed,
            "run": self.run,
            "metrics": self.metrics,
            "tables": {
                name: {"columns": list(self.tables.columns(name)), "rows": self.tables.rows(name)}
                for name in self.tables
                if name not in large
            },
            "events": self.events,
            "sim_time_s": self.sim_time_s,
            "wall_time_s": self.wall_time_s,
            "peak_rss_mb": self.peak_rss_mb,
            "digest": self.digest,
            "versions": self.versions,
        }
        if self.partial:
            content["status"] = self.status
        if self.error is not None:
            content["error"] = self.error
        if self.files:
            content["files"] = self.files
        result = jsonable(content)
        assert isinstance(result, dict)
        return result

    def to_json(self, indent: int | None = None) -> str:
        """Return one JSON object; numbers that are not finite appear as null."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def write_json(self, stream: TextIO) -> None:
        """Write the JSON object and a line end."""
        stream.write(self.to_json() + "\n")

    def record(self) -> dict[str, Any]:
        """Return parameters, seed, run and metrics as one flat row.

        A parameter that has the name of a metric appears as ``parameter_NAME``.
        """
        row: dict[str, Any] = {}
        for name, value in self.parameters.items():
            key = f"parameter_{name}" if name in self.metrics else name
            row[key] = value if isinstance(value, (bool, int, float, type(None))) else str(value)
        row["seed"] = self.seed
        row["run"] = self.run
        row.update(self.metrics)
        return row

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """Return a table as a pandas frame; without a name one row of parameters and metrics."""
        if table is not None:
            return self.tables.to_pandas(table)
        import pandas

        return pandas.DataFrame([self.record()])

    def to_polars(self, table: str | None = None) -> polars.DataFrame:
        """Return a table as a polars frame; without a name one row of parameters and metrics."""
        if table is not None:
            return self.tables.to_polars(table)
        import polars

        return polars.DataFrame([self.record()])

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Write metrics.json, tables/NAME.parquet and, last, manifest.json into a folder.

        Raises
        ------
        OSError
            If the folder cannot be made or written.
        """
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        _write_text(folder / METRICS_FILE, json.dumps(jsonable(self.metrics), indent=1) + "\n")
        if self.tables:
            import pyarrow.parquet

            (folder / TABLES_FOLDER).mkdir(exist_ok=True)
            for name in self.tables:
                target = folder / TABLES_FOLDER / f"{name}.parquet"
                temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
                try:
                    pyarrow.parquet.write_table(self.tables[name], temporary)
                    os.replace(temporary, target)
                except BaseException:
                    temporary.unlink(missing_ok=True)
                    raise
        manifest = self.manifest | {"tables": list(self.tables)}
        _write_text(
            folder / MANIFEST_FILE, json.dumps(jsonable(manifest), indent=1, allow_nan=False) + "\n"
        )
        return folder

    @classmethod
    def load(cls, directory: str | os.PathLike[str]) -> Results:
        """Read what :meth:`save` wrote. Metrics that were not finite come back as None.

        Raises
        ------
        FileNotFoundError
            If a file is missing.
        ValueError
            If a file is not what ``save`` writes; the message names it.
        """
        folder = Path(directory)
        manifest = _read_json(folder / MANIFEST_FILE)
        metrics = _read_json(folder / METRICS_FILE)
        loaded: dict[str, Any] = {}
        for name in manifest.pop("tables", []):
            import pyarrow.parquet

            loaded[name] = pyarrow.parquet.read_table(folder / TABLES_FOLDER / f"{name}.parquet")
        known = set(cls.__dataclass_fields__)
        try:
            return cls(
                metrics=metrics,
                tables=Tables(loaded),
                **{key: value for key, value in manifest.items() if key in known},
            )
        except TypeError as error:
            raise ValueError(f"{folder / MANIFEST_FILE} is not a manifest: {error}") from None

    def __repr__(self) -> str:
        state = "" if not self.partial else f" {self.status}"
        return (
            f"<Results {self.scenario} seed={self.seed} run={self.run}{state}:"
            f" {len(self.metrics)} metrics, {len(self.tables)} tables, {self.events} events>"
        )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} does not hold a JSON object")
    return content
