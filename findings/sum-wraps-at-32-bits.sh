#!/usr/bin/env bash
# Polars sums a column of 32-bit integers in 32 bits: nanoseconds that add up to more than 4.29 s begin again at 0.
#
# Expected: waits below 4 s fit into UInt32, which halves the column, and a sum needs more bits only for its result, as in
# NumPy, pyarrow and DuckDB.
# What happens: the sum of a UInt32 column is UInt32 and wraps around, alone, in group_by and in cum_sum, without an error. The
# sum of 8 and 16 bits is made in 64. The mean is right, so mean times count is not the sum. pyarrow sums in 64 bits, but its
# cumulative_sum wraps like Polars'.
# Versions: Polars 2.1.0, pyarrow 26.0.1, NumPy 2.4.6, DuckDB 2.0.1.
# Why it matters: a table of what each commit waited for, with durations in the smallest type that holds the longest one, gets
# sums that are smaller than one of its rows. Small tests are right.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

fetch_python polars==2.1.0 pyarrow==26.0.1 numpy==2.4.6 duckdb==2.0.1
cat >"$work/sums.py" <<'PY'
import duckdb
import numpy
import polars
import pyarrow
import pyarrow.compute

WAITS_NS = [3_000_000_000, 1_500_000_000]

array = numpy.array(WAITS_NS, dtype=numpy.uint32)
arrow = pyarrow.array(array)
frame = polars.DataFrame({"wait": array, "kind": ["fsync", "fsync"]})
print("Polars", polars.__version__, "pyarrow", pyarrow.__version__, "NumPy", numpy.__version__, "DuckDB", duckdb.__version__)
print("waits", *WAITS_NS)
print("Polars sum", frame["wait"].sum(), frame.select(polars.sum("wait")).dtypes[0])
print("Polars group_by", *frame.group_by("kind").agg(polars.sum("wait"))["wait"])
print("Polars lazy", frame.lazy().select(polars.sum("wait")).collect().item())
print("Polars cum_sum", *frame["wait"].cum_sum())
print("Polars mean times count", round(frame["wait"].mean() * len(frame)))
print("Polars sum of UInt16", frame.select(polars.lit(40_000, polars.UInt16).repeat_by(2).explode().sum()).dtypes[0])
print("NumPy sum", array.sum(), "cumsum", *array.cumsum())
print("pyarrow sum", pyarrow.compute.sum(arrow), "cumulative_sum", *pyarrow.compute.cumulative_sum(arrow))
print("DuckDB sum", *duckdb.sql("SELECT sum(wait), any_value(typeof(wait)) FROM frame").fetchall()[0])
PY

seen=$("$work/python/bin/python" "$work/sums.py")
printf '%s\n' "$seen"
[ "$(tail -n +2 <<<"$seen")" = "waits 3000000000 1500000000
Polars sum 205032704 UInt32
Polars group_by 205032704
Polars lazy 205032704
Polars cum_sum 3000000000 205032704
Polars mean times count 4500000000
Polars sum of UInt16 Int64
NumPy sum 4500000000 cumsum 3000000000 4500000000
pyarrow sum 4500000000 cumulative_sum 3000000000 205032704
DuckDB sum 4500000000 UINTEGER" ] || changed "other sums"
