"""Results: JSON form, digest, tables as Arrow, and what is on disk."""

import hashlib
import json
import math
import pickle
from array import array

import numpy
import pyarrow
import pyarrow.parquet
import pytest

from simcore.results import MAX_INLINE_ROWS, Results, file_digest, peak_rss_mb, results_digest
from simcore.tables import Tables


def make(**changes):
    values = {
        "scenario": "dsr",
        "parameters": {"nodes": 50, "area": [300.0, 1500.0]},
        "seed": 10,
        "run": 1,
        "metrics": {"delivery_ratio": 0.98, "tx_packets": 100},
        "tables": {"t": {"a": [1, 3], "b": [2.5, None]}},
        "events": 1234,
        "sim_time_s": 600.0,
        "wall_time_s": 4.2,
        "peak_rss_mb": 80.1,
    }
    return Results(**(values | changes))


def test_json_has_the_documented_form():
    content = json.loads(make().to_json())
    assert list(content) == [
        "scenario",
        "parameters",
        "seed",
        "run",
        "metrics",
        "tables",
        "events",
        "sim_time_s",
        "wall_time_s",
        "peak_rss_mb",
        "digest",
        "versions",
    ]
    assert content["tables"] == {"t": {"columns": ["a", "b"], "rows": [[1, 2.5], [3, None]]}}
    assert set(content["versions"]) >= {"simcore", "python"}
    assert content["digest"].startswith("sha256:")


def test_numbers_that_are_not_finite_are_null_in_json():
    results = make(
        metrics={"a": math.nan, "b": math.inf, "c": -math.inf}, tables={"t": {"x": [math.nan]}}
    )
    content = json.loads(results.to_json())
    assert content["metrics"] == {"a": None, "b": None, "c": None}
    assert content["tables"]["t"]["rows"] == [[None]]
    assert math.isnan(results.metrics["a"])


def test_partial_results_are_marked():
    results = make(status="interrupted")
    assert results.partial
    assert json.loads(results.to_json())["status"] == "interrupted"
    assert results.manifest["status"] == "interrupted"
    assert "interrupted" in repr(results)
    assert not make().partial


def test_long_tables_stay_out_of_json():
    rows = MAX_INLINE_ROWS
    tables = {"fits": {"x": [0] * rows}, "long": {"x": [0] * (rows + 1)}}
    results = make(tables=tables)
    content = json.loads(results.to_json())
    assert list(content["tables"]) == ["fits"]
    assert results.large_tables == ["long"]
    assert results.tables["long"].num_rows == rows + 1


class TestDigest:
    def test_order_of_metrics_does_not_count(self):
        assert (
            make(metrics={"a": 1, "b": 2}).digest == make(metrics={"b": 2, "a": 1}).digest
        )

    @pytest.mark.parametrize(
        "changes",
        [
            {"metrics": {"delivery_ratio": 0.98, "tx_packets": 101}},
            {"metrics": {"delivery_ratio": math.nextafter(0.98, 1), "tx_packets": 100}},
            {"metrics": {"delivery_ratio": 0.98, "tx_packets": 100.0}},
            {"metrics": {"delivery_ratio": math.nan, "tx_packets": 100}},
            {"metrics": {"delivery_ratio": 0.98}},
            {"tables": {}},
            {"tables": {"t": {"a": [1, 3], "b": [2.5, 0.0]}}},
            {"tables": {"t": {"a": [3, 1], "b": [2.5, None]}}},
            {"tables": {"u": {"a": [1, 3], "b": [2.5, None]}}},
            {"tables": {"t": {"a": [1.0, 3.0], "b": [2.5, None]}}},
        ],
    )
    def test_any_change_of_value_shows(self, changes):
        assert make(**changes).digest != make().digest

    def test_wall_time_and_memory_do_not_count(self):
        assert make(wall_time_s=9.0, peak_rss_mb=1.0).digest == make().digest

    def test_numpy_and_python_values_are_the_same(self):
        plain = make(metrics={"x": 1.5, "n": 2}, tables={"t": {"a": [1, 2], "b": ["x", "y"]}})
        other = make(
            metrics={"x": numpy.float64(1.5), "n": numpy.int64(2)},
            tables={"t": pyarrow.table({"a": numpy.array([1, 2]), "b": ["x", "y"]})},
        )
        assert plain.digest == other.digest

    def test_every_nan_is_alike(self):
        odd = numpy.array([0x7FF8000000000001], dtype="<u8").view("<f8")
        assert math.isnan(odd[0])
        tables = [Tables({"t": {"x": x}}) for x in (odd, [math.nan])]
        assert results_digest({}, tables[0]) == results_digest({}, tables[1])

    def test_form_is_frozen(self):
        """Digests in committed references depend on it."""
        digest = results_digest({"b": 0.5, "a": 1}, Tables({"t": {"x": [1, -2], "s": ["u", None]}}))
        spelled_out = (
            b"simcore results 1\nmetric a 1\nmetric b 0.5\ntable t 2\n"
            b"column x\ni2:\x01\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff"
            b"column s\ns2:\0\x01\x01\0\0\0u\0\0\0\0"
        )
        assert digest == "sha256:" + hashlib.sha256(spelled_out).hexdigest()

    def test_machine_metrics_can_be_left_out(self):
        metrics = {"a": 1, "per_wall_s": 17.0}
        assert results_digest(metrics, Tables(), exclude=["per_wall_s"]) == results_digest(
            {"a": 1}, Tables()
        )

    def test_trace_files_count_by_name_and_content(self, tmp_path):
        def digest(name):
            return results_digest({}, Tables(), {name: file_digest(tmp_path / name).hex()})

        (tmp_path / "a.tr").write_text("one\n")
        (tmp_path / "b.tr").write_text("one\n")
        first = digest("a.tr")
        expected = hashlib.sha256((tmp_path / "a.tr").read_bytes()).digest()
        assert file_digest(tmp_path / "a.tr") == expected
        assert first != results_digest({}, Tables())
        assert first != digest("b.tr")
        (tmp_path / "a.tr").write_text("two\n")
        assert first != digest("a.tr")


def test_parquet_digest_is_of_values_not_of_row_groups(tmp_path):
    table = pyarrow.table(
        {
            "n": pyarrow.array([1, 2, None, 4], pyarrow.int32()),
            "x": [0.5, 1.5, 2.5, 3.5],
            "s": ["a", "b", "a", None],
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "one.parquet")
    pyarrow.parquet.write_table(
        table, tmp_path / "two.parquet", row_group_size=1, compression="gzip"
    )
    changed = table.set_column(1, "x", pyarrow.array([0.5, 1.5, 2.5, 3.0]))
    pyarrow.parquet.write_table(changed, tmp_path / "three.parquet")
    digests = [file_digest(tmp_path / f"{name}.parquet") for name in ("one", "two", "three")]
    assert digests[0] == digests[1] != digests[2]


class TestTables:
    def test_columns_become_arrow_types(self):
        tables = Tables(
            {
                "t": {
                    "i": array("q", [1, 2]),
                    "f": numpy.array([1.0, 2.0]),
                    "mixed": [1, 2.5],
                    "s": ("a", None),
                    "b": [True, False],
                    "none": [None, None],
                }
            }
        )
        types = [str(kind) for kind in tables["t"].schema.types]
        assert types == ["int64", "double", "double", "string", "bool", "null"]
        assert tables.rows("t")[1] == [2, 2.0, 2.5, None, False, None]
        assert list(tables) == ["t"]
        assert len(tables) == 1
        assert "t: 2 rows" in repr(tables)

    def test_nan_is_not_a_gap(self):
        column = Tables({"t": {"x": [math.nan, None]}})["t"].column("x")
        assert column.null_count == 1

    def test_frames(self):
        tables = Tables({"t": {"a": [1, 2]}})
        assert tables.to_pandas("t")["a"].sum() == 3
        assert tables.to_polars("t")["a"].sum() == 3

    def test_empty(self):
        tables = Tables({"none": {}, "no_rows": {"x": []}})
        assert tables.num_rows("none") == tables.num_rows("no_rows") == 0
        assert tables["no_rows"].num_rows == 0

    @pytest.mark.parametrize(
        ("table", "error", "message"),
        [
            ({"a": [1], "b": [1, 2]}, ValueError, "differ in length \\(a: 1, b: 2\\)"),
            ({"a": [1, "x"]}, TypeError, "column 'a' of table 't' mixes"),
            ({"a": [{}]}, TypeError, "column 'a'"),
            ({"a": 5}, TypeError, "not a sequence"),
            ({"a": [2**63]}, OverflowError, "64-bit"),
            ([1, 2], TypeError, "must map column names"),
        ],
    )
    def test_bad_tables_name_table_and_column(self, table, error, message):
        with pytest.raises(error, match=message):
            Tables({"t": table})

    @pytest.mark.parametrize("name", ["../x", "a/b", "", "a b"])
    def test_bad_names(self, name):
        with pytest.raises(ValueError, match="table name"):
            Tables({name: {}})

    def test_missing(self):
        with pytest.raises(KeyError):
            Tables()["t"]


@pytest.mark.parametrize("value", [[1], {}, object()])
def test_metrics_are_flat(value):
    with pytest.raises(TypeError, match="metric 'x' must be a number"):
        make(metrics={"x": value})


def test_frames_without_a_table_name():
    results = make(metrics={"nodes": 3, "delay": 1.5})
    for frame in (results.to_pandas(), results.to_polars()):
        assert list(frame.columns) == ["parameter_nodes", "area", "seed", "run", "nodes", "delay"]
        assert len(frame) == 1
    assert make().to_pandas("t").shape == make().to_polars("t").shape == (2, 2)


def test_save_and_load(tmp_path):
    results = make(files=["x.tr"])
    folder = results.save(tmp_path / "deep" / "out")
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) == [
        "manifest.json",
        "metrics.json",
        "tables",
        "tables/t.parquet",
    ]
    loaded = Results.load(folder)
    assert loaded == results or loaded.to_dict() == results.to_dict()
    assert loaded.tables["t"].equals(results.tables["t"])


def test_load_errors_name_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"manifest\.json"):
        Results.load(tmp_path)
    make().save(tmp_path)
    (tmp_path / "metrics.json").write_text("[1]")
    with pytest.raises(ValueError, match=r"metrics\.json"):
        Results.load(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(ValueError, match=r"manifest\.json is not JSON"):
        Results.load(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    (tmp_path / "metrics.json").write_text("{}")
    with pytest.raises(ValueError, match=r"manifest\.json is not a manifest"):
        Results.load(tmp_path)


def test_results_travel_between_processes():
    results = make()
    results.tables["t"]
    copy = pickle.loads(pickle.dumps(results))
    assert copy.to_dict() == results.to_dict()
    assert copy.tables["t"].equals(results.tables["t"])


def test_peak_memory_is_that_of_this_process():
    before = peak_rss_mb()
    block = numpy.ones(40_000_000 // 8)
    assert block.sum() == 5_000_000
    assert 5 < before <= peak_rss_mb()
