#!/usr/bin/env bash
# Otava finds a change point at p 0.001 in every tenth history of 200 builds in which nothing changed.
#
# Expected: with a p-value of 0.001, one history in a thousand that is only noise has a change point.
# What happens: Otava first looks for the position that splits the series best, and then takes a t-test at this position as if it
# had been chosen before (otava/analysis.py). The best of 50 positions is nearly always somewhat different. It also gives the
# deviation of the values to a formula that wants that of the sample, which makes short pieces look steadier than they are.
# Version: Apache Otava 0.8.0, with its defaults (p 0.001, window 50); values of a normal distribution with a deviation of 1 %.
# Why it matters: a benchmark of commits with 20 metrics and one build a day has false alarms all the year, each with a p-value
# below 0.001 beside it. Somebody looks for the commit that made logging slower, and there is none.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

fetch_python apache-otava==0.8.0 numpy==2.2.0 scipy==1.16.3
cat >"$work/noise.py" <<'PY'
from importlib.metadata import version

import numpy
from otava.analysis import compute_change_points

HISTORIES = 1000

random = numpy.random.default_rng(1)
print("Otava", version("apache-otava"))
for builds in [10, 50, 200]:
    alarms = 0
    for _ in range(HISTORIES):
        points, _ = compute_change_points(list(random.normal(100, 1, builds)))
        alarms += len(points) > 0
    print(builds, "builds without a change:", alarms, "of", HISTORIES, "histories have a change point")
PY

seen=$("$work/python/bin/python" "$work/noise.py")
printf '%s\n' "$seen"
alarms() { awk -v builds="$1" '$1 == builds { print $6 }' <<<"$seen"; }
# Ten times what the p-value says, and more.
[ "$(alarms 10)" -ge 10 ] || changed "short histories have no more false alarms than their p-value"
[ "$(alarms 50)" -ge 20 ] || changed "histories of 50 builds have few false alarms"
[ "$(alarms 200)" -ge 80 ] || changed "histories of 200 builds have few false alarms"
