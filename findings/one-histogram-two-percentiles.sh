#!/usr/bin/env bash
# The same HdrHistogram has another p99.9 in Go and Python than in Java, JavaScript and Rust.
#
# Expected: the log format is made for exchange, so every implementation reads the same percentiles from the same line.
# What happens: the number of values that a percentile must cover is rounded up in Java, JavaScript and Rust, and to the nearest in
# Go and Python. Of 1,600 commits 99.9 % are 1,598.4: two that waited 100 ms are the p99.9 of the first, and none of them is
# that of the others. Counts and means agree.
# Versions: HdrHistogram 2.2.2 (Java), hdr-histogram-js 3.0.1, hdrhistogram 7.6.0 (Rust), hdrhistogram-go 1.4.0, hdrhistogram
# 0.10.8 (Python).
# Why it matters: the tail of commits is rare by nature, and a log is written by the load generator in one language and read by
# the report in another. A factor of 100 between two tools is no difference between two servers.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

JAVA=2.2.2 JAVASCRIPT=3.0.1 RUST=7.6.0 GO=v1.4.0 PYTHON=0.10.8
PERCENTILE=99.9

cd "$work" || exit 2

# Writes a log with one interval: 1,598 commits of 1 ms, and 2 of 100 ms. Prints what Java reads.
java_reads() {
  local jar=maven/org/hdrhistogram/HdrHistogram/$JAVA/HdrHistogram-$JAVA.jar
  mvn -q -B -Dstyle.color=never -Dmaven.repo.local="$work/maven" dependency:get -Dtransitive=false \
    -Dartifact=org.hdrhistogram:HdrHistogram:$JAVA >&2 </dev/null || exit 2
  cat >Reads.java <<'JAVA'
import java.io.PrintStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

public class Reads {
  public static void main(String[] percentile) throws Exception {
    Histogram written = new Histogram(3);
    written.setStartTimeStamp(1_764_442_000_000L);
    written.setEndTimeStamp(1_764_442_001_000L);
    written.recordValueWithCount(1_000_000, 1_598);
    written.recordValueWithCount(100_000_000, 2);
    try (PrintStream file = new PrintStream("commits.hlog")) {
      HistogramLogWriter log = new HistogramLogWriter(file);
      log.outputLogFormatVersion();
      log.outputStartTime(written.getStartTimeStamp());
      log.outputLegend();
      log.outputIntervalHistogram(written);
    }
    Histogram read = (Histogram) new HistogramLogReader("commits.hlog").nextIntervalHistogram();
    System.out.printf("%d %d%n", read.getTotalCount(), read.getValueAtPercentile(Double.parseDouble(percentile[0])));
  }
}
JAVA
  java -cp "$jar" Reads.java "$PERCENTILE"
}

javascript_reads() {
  npm install --silent --no-audit --no-fund "hdr-histogram-js@$JAVASCRIPT" >&2 || exit 2
  node -e '
    const { HistogramLogReader } = require("hdr-histogram-js");
    const text = require("fs").readFileSync("commits.hlog", "utf8");
    const read = new HistogramLogReader(text).nextIntervalHistogram();
    console.log(read.totalCount, read.getValueAtPercentile(Number(process.argv[1])));' "$PERCENTILE"
}

rust_reads() {
  mkdir rust rust/src
  cat >rust/Cargo.toml <<TOML
[package]
name = "reads"
edition = "2021"
[dependencies]
base64 = "=0.22.1"
hdrhistogram = "=$RUST"
[workspace]
TOML
  cat >rust/src/main.rs <<'RUST'
use base64::Engine;
use hdrhistogram::{serialization::Deserializer, Histogram};

fn main() {
    let log = std::fs::read_to_string("commits.hlog").unwrap();
    let line = log.lines().find(|line| line.contains("HIST")).unwrap();
    let text = line.rsplit(',').next().unwrap();
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    let read: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
    let percentile = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{} {}", read.len(), read.value_at_percentile(percentile));
}
RUST
  CARGO_TARGET_DIR=$work/rust/target cargo run --quiet --manifest-path rust/Cargo.toml "$PERCENTILE"
}

go_reads() {
  mkdir go
  cat >go/main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func main() {
	file, err := os.Open("commits.hlog")
	if err != nil {
		panic(err)
	}
	read, err := hdrhistogram.NewHistogramLogReader(file).NextIntervalHistogram()
	if err != nil {
		panic(err)
	}
	percentile, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		panic(err)
	}
	fmt.Println(read.TotalCount(), read.ValueAtPercentile(percentile))
}
GO
  # Modules are read-only unless they are asked not to be, and could not be removed.
  (
    cd go
    export GOMODCACHE=$work/go/modules GOFLAGS=-modcacherw
    go mod init reads
    go get "github.com/HdrHistogram/hdrhistogram-go@$GO"
    go build -o reads .
  ) 2>"$work/fetched" || { cat "$work/fetched" >&2; exit 2; }
  go/reads "$PERCENTILE"
}

python_reads() {
  fetch_python "hdrhistogram==$PYTHON"
  python/bin/python - "$PERCENTILE" <<'PY'
import sys
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

read = HistogramLogReader("commits.hlog", HdrHistogram(1, 10**12, 3)).get_next_interval_histogram()
print(read.get_total_count(), read.get_value_at_percentile(float(sys.argv[1])))
PY
}

printf 'commits and ns of p%s: 1598 commits of 1 ms and 2 of 100 ms\n' "$PERCENTILE"
for language in java javascript rust go python; do
  read -r count ns < <("${language}_reads")
  printf '%-10s %s %s\n' "$language" "$count" "$ns"
  [ "$count" = 1600 ] || changed "$language reads $count commits"
  case $language in
    go | python) [ "$ns" -lt 1100000 ] || changed "$language rounds up" ;;
    *) [ "$ns" -gt 99000000 ] || changed "$language rounds to the nearest" ;;
  esac
done
