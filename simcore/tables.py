"""Tables of results: columns of plain values, as Arrow on demand.

A scenario hands in columns (lists, numpy arrays, or a pyarrow table). They stay what they are until
somebody asks for Arrow, so that a run without tables never pays for importing pyarrow.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Columns", "Tables", "column_bytes", "plain"]

Columns = dict[str, list[Any]]

_QUIET_NAN = struct.pack("<d", float("nan"))


def plain(value: Any) -> Any:
    """Return a numpy scalar as the Python number it holds; anything else as it is."""
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return value.item()
    return value


def _column(values: Any, table: str, name: str) -> list[Any]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    elif isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, array)):
        values = list(values) if hasattr(values, "__iter__") else None
    if not isinstance(values, list):
        if values is None:
            raise TypeError(f"column {name!r} of table {table!r} is not a sequence of values")
        values = list(values)
    return [plain(value) for value in values]


def _kind(values: list[Any], table: str, name: str) -> str:
    """Return "bool", "int", "float", "str" or "null": what the column's values are."""
    types = {type(value) for value in values}
    types.discard(type(None))
    if not types:
        return "null"
    if types == {bool}:
        return "bool"
    if types == {int}:
        if all(value is None or -(2**63) <= value < 2**63 for value in values):
            return "int"
        raise OverflowError(f"column {name!r} of table {table!r} exceeds 64-bit integers")
    if types <= {int, float}:
        return "float"
    if types == {str}:
        return "str"
    names = ", ".join(sorted(kind.__name__ for kind in types))
    raise TypeError(
        f"column {name!r} of table {table!r} mixes or has unsupported types ({names});"
        " use bool, int, float or str"
    )


def column_bytes(values: list[Any], kind: str) -> bytes:
    """Return the column in a canonical form for digests, the same on every machine.

    Little-endian 64-bit integers and doubles (every NaN alike), length-prefixed UTF-8, one byte for
    a bool; a column with gaps is preceded by a mask.
    """
    gaps = [value is None for value in values]
    mask = bytes(gaps) if any(gaps) else b""
    if kind == "float":
        body = b"".join(
            _QUIET_NAN if value is None or value != value else struct.pack("<d", value)
            for value in values
        )
    elif kind == "int":
        body = struct.pack(f"<{len(values)}q", *(value or 0 for value in values))
    elif kind == "bool":
        body = bytes(bool(value) for value in values)
    elif kind == "str":
        encoded = [(value or "").encode("utf-8", "surrogatepass") for value in values]
        body = b"".join(struct.pack("<I", len(text)) + text for text in encoded)
    else:
        body = b""
    return b"%s%d:" % (kind[:1].encode(), len(values)) + mask + body


class Tables(Mapping[str, "pyarrow.Table"]):
    """Named tables; ``tables["name"]`` is a ``pyarrow.Table``, made when first asked for.

    Raises
    ------
    TypeError, ValueError
        If a name is no plain word, columns differ in length, or a column holds anything but bool,
        int, float, str and None.
    """

    def __init__(self, tables: Mapping[str, Any] | None = None) -> None:
        self._columns: dict[str, Columns] = {}
        self._kinds: dict[str, dict[str, str]] = {}
        self._arrow: dict[str, pyarrow.Table] = {}
        for name, table in (tables or {}).items():
            self._add(name, table)

    def _add(self, name: str, table: Any) -> None:
        if not name.replace("_", "").replace("-", "").isalnum():
            raise ValueError(f"table name must be letters, digits, _ and -: {name!r}")
        if hasattr(table, "column_names") and hasattr(table, "to_pydict"):
            table = table.to_pydict()
        if not isinstance(table, Mapping):
            raise TypeError(f"table {name!r} must map column names to values")
        columns = {str(key): _column(values, name, str(key)) for key, values in table.items()}
        lengths = {len(values) for values in columns.values()}
        if len(lengths) > 1:
            sizes = ", ".join(f"{key}: {len(values)}" for key, values in columns.items())
            raise ValueError(f"columns of table {name!r} differ in length ({sizes})")
        self._kinds[name] = {key: _kind(values, name, key) for key, values in columns.items()}
        self._columns[name] = columns

    def __getitem__(self, name: str) -> pyarrow.Table:
        if name not in self._columns:
            raise KeyError(name)
        if name not in self._arrow:
            import pyarrow

            types = {
                "bool": pyarrow.bool_(),
                "int": pyarrow.int64(),
                "float": pyarrow.float64(),
                "str": pyarrow.string(),
                "null": pyarrow.null(),
            }
            kinds = self._kinds[name]
            arrays = [
                pyarrow.array(values, types[kinds[key]], from_pandas=False)
                for key, values in self._columns[name].items()
            ]
            self._arrow[name] = pyarrow.table(arrays, names=list(self._columns[name]))
        return self._arrow[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __getstate__(self) -> dict[str, Any]:
        return {"_columns": self._columns, "_kinds": self._kinds, "_arrow": {}}

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {self.num_rows(name)} rows" for name in self)
        return f"<Tables {sizes}>"

    def num_rows(self, name: str) -> int:
        """Return the number of rows of a table without making an Arrow table."""
        return len(next(iter(self._columns[name].values()), ()))

    def columns(self, name: str) -> Columns:
        """Return the columns of a table as lists of Python values, by name."""
        return self._columns[name]

    def rows(self, name: str) -> list[list[Any]]:
        """Return the rows of a table as lists of Python values."""
        return [list(row) for row in zip(*self._columns[name].values(), strict=True)]

    def to_pandas(self, name: str) -> pandas.DataFrame:
        """Return a table as a pandas frame."""
        return self[name].to_pandas()

    def to_polars(self, name: str) -> polars.DataFrame:
        """Return a table as a polars frame."""
        import polars

        frame = polars.from_arrow(self[name])
        assert isinstance(frame, polars.DataFrame)
        return frame

    def update_digest(self, digest: Any) -> None:
        """Feed names and values of all tables, in the order of their names, to a hashlib object."""
        for name in sorted(self._columns):
            digest.update(b"table %s %d\n" % (name.encode(), len(self._columns[name])))
            for key, values in self._columns[name].items():
                digest.update(b"column %s\n" % key.encode())
                digest.update(column_bytes(values, self._kinds[name][key]))
