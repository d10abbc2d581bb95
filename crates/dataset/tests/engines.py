"""Runs the questions of docs/fleet.md on a data set with DuckDB, ClickHouse (chdb) and Spark, and compares the answers.

usage: engines.py DATASET, by scripts/test-dataset
"""

import re
import sys
from pathlib import Path

TABLES = ["runs", "settings", "caveats", "causes", "seconds", "histograms", "commits", "requests", "segments", "stacks"]

# Sums that have to be 0 in each run.
SUMS = [
    "SELECT count(*) FROM (SELECT r.run FROM runs r JOIN {0} t ON t.run = r.run GROUP BY r.run "
    "HAVING sum(t.{1}) <> max(r.{2})) wrong".format(*names)
    for names in [
        ("causes", "total_ns", "commit_ns"),
        ("seconds", "total_ns", "commit_ns"),
        ("segments", "dur_ns", "commit_ns"),
        ("commits", "dur_ns", "commit_ns"),
        ("(SELECT * FROM histograms WHERE metric = 'commit')", "count", "commits"),
        ("(SELECT * FROM histograms WHERE metric = 'response')", "count", "done"),
    ]
]


def duckdb_engine(dataset):
    import duckdb

    connection = duckdb.connect()
    for table in TABLES:
        path = f"{dataset}/{table}/**/*.parquet"
        connection.execute(
            f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{path}', hive_partitioning = true, union_by_name = true)"
        )
    return lambda sql: connection.execute(sql).fetchall()


def clickhouse_engine(dataset):
    from chdb import session

    clickhouse = session.Session()
    clickhouse.query("CREATE DATABASE fleet")
    for table in TABLES:
        path = f"{dataset}/{table}/**/*.parquet"
        clickhouse.query(
            f"CREATE VIEW fleet.{table} AS SELECT * FROM file('{path}') SETTINGS use_hive_partitioning = 1"
        )
    clickhouse.query("USE fleet")
    return lambda sql: [tuple(row.values()) for row in clickhouse.query(sql, "ArrowTable").to_pylist()]


def spark_engine(dataset):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for table in TABLES:
        base = f"{dataset}/{table}"
        spark.read.option("basePath", base).parquet(f"{base}/*/*").createOrReplaceTempView(table)
    return lambda sql: [tuple(row) for row in spark.sql(sql).collect()]


def plain(value):
    """Returns a value as it compares between engines."""
    if isinstance(value, bytes):
        return value.decode()
    if value is None or isinstance(value, str):
        return value
    return round(float(value), 3)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    dataset = Path(sys.argv[1]).resolve()
    document = Path(__file__).resolve().parents[3] / "docs" / "fleet.md"
    questions = re.findall(r"```sql\n(.*?)```", document.read_text(), re.DOTALL)
    engines = [duckdb_engine(dataset), clickhouse_engine(dataset), spark_engine(dataset)]
    names = ["DuckDB", "ClickHouse", "Spark"]
    for sql in SUMS:
        for name, engine in zip(names, engines):
            assert plain(engine(sql)[0][0]) == 0, f"{name}: {sql}"
    print(f"sums: {len(SUMS)} on each engine are those of the runs")
    for sql in questions:
        answers = [[tuple(map(plain, row)) for row in engine(sql)] for engine in engines]
        print(sql)
        for row in answers[0]:
            print("   ", *row)
        for name, answer in zip(names, answers):
            assert answer == answers[0], f"{name} answers otherwise:\n{sql}\n{answer}\n{answers[0]}"
        assert answers[0], f"no row: {sql}"
    print(f"{len(questions)} questions have the same answers on {', '.join(names)}")


if __name__ == "__main__":
    main()
