#!/usr/bin/env bash
# DuckDB takes Arrow's durations in whole microseconds, and writes them to Parquet in whole milliseconds.
#
# Expected: a column of nanoseconds with the type duration[ns] keeps its sum in DuckDB, or DuckDB says that it cannot.
# What happens: DuckDB's INTERVAL has microseconds, so 900 ns of an Arrow table are 0. Parquet's INTERVAL has milliseconds, so
# what DuckDB itself writes and reads again loses three more digits. Both round down, without a warning. From a Parquet file of
# pyarrow the same column arrives whole, but as BIGINT: the file's own schema does not say that it is a duration. Timestamps and
# times of day keep their nanoseconds.
# Versions: DuckDB 2.0.1, pyarrow 26.0.1.
# Why it matters: many waits of a commit are shorter than a microsecond, and nearly all are shorter than a millisecond. The same
# data have three sums, one for each way into the same engine, and two of them say that waiting is free.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

fetch_python duckdb==2.0.1 pyarrow==26.0.1
cat >"$work/durations.py" <<'PY'
import duckdb
import pyarrow
import pyarrow.parquet

WAITS_NS = [900] * 1000 + [999_999]

waits = pyarrow.table({"wait": pyarrow.array(WAITS_NS, type=pyarrow.duration("ns"))})
pyarrow.parquet.write_table(waits, "pyarrow.parquet")
duckdb.sql("COPY (SELECT wait FROM waits) TO 'duckdb.parquet'")


def show(source, ns):
    kind, total = duckdb.sql(f"SELECT any_value(typeof(wait)), sum({ns}) FROM {source}").fetchall()[0]
    print(f"{source.strip(chr(39))}: {kind}, sum {total} ns")


print(f"DuckDB {duckdb.__version__}, pyarrow {pyarrow.__version__}, {len(WAITS_NS)} waits, sum {sum(WAITS_NS)} ns")
show("waits", "epoch_ns(wait)")
show("'pyarrow.parquet'", "wait")
show("'duckdb.parquet'", "epoch_ns(wait)")
moment = pyarrow.table({"moment": pyarrow.array([1764442059123456789], type=pyarrow.timestamp("ns"))})
print("timestamp:", *duckdb.sql("SELECT typeof(moment), epoch_ns(moment) FROM moment").fetchall()[0])
PY

cd "$work" || exit 2
seen=$(python/bin/python durations.py)
printf '%s\n' "$seen"
[ "$seen" = "DuckDB 2.0.1, pyarrow 26.0.1, 1001 waits, sum 1899999 ns
waits: INTERVAL, sum 999000 ns
pyarrow.parquet: BIGINT, sum 1899999 ns
duckdb.parquet: INTERVAL, sum 0 ns
timestamp: TIMESTAMP_NS 1764442059123456789" ] || changed "other types or sums"
