#!/usr/bin/env bash
# ruptures finds change points only at every fifth value, unless it is told otherwise.
#
# Expected: in a series without noise that doubles at build 22, the change point is 22.
# What happens: Pelt, Binseg, BottomUp, Dynp and Window answer 20, and 25 if the step is at 23 or 24: they look at every fifth
# position (jump=5), and neither an error nor the result says so. KernelCPD of the same package answers 22.
# With jump=1 the others do too, except BottomUp, which then looks at every second one.
# Version: ruptures 1.1.10.
# Why it matters: the first build with a slower commit is looked for in a history of measurements. The answer names a build
# before the change, or one after it, and the change itself is not among those that are then compared.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

fetch_python ruptures==1.1.10
cat >"$work/points.py" <<'PY'
from importlib.metadata import version

import numpy
import ruptures

BUILDS = 60
STEPS = [20, 21, 22, 23, 24]


def found(kind, step, **options):
    series = numpy.where(numpy.arange(BUILDS) < step, 1.0, 2.0)
    search = kind(model="l2", **options).fit(series)
    how = {"pen": 1} if kind is ruptures.Pelt else {"n_bkps": 1}
    return int(search.predict(**how)[0])


print("ruptures", version("ruptures"))
print("step at  ", *STEPS)
for kind in [ruptures.Pelt, ruptures.Binseg, ruptures.BottomUp, ruptures.Dynp, ruptures.Window]:
    width = {"width": 10} if kind is ruptures.Window else {}
    print(f"{kind.__name__:<9}", *(found(kind, step, **width) for step in STEPS))
    print(f"  jump=1 ", *(found(kind, step, jump=1, **width) for step in STEPS))
steps = [numpy.where(numpy.arange(BUILDS) < step, 1.0, 2.0) for step in STEPS]
print("KernelCPD", *(ruptures.KernelCPD(kernel="linear").fit(step).predict(n_bkps=1)[0] for step in steps))
PY

seen=$("$work/python/bin/python" "$work/points.py")
printf '%s\n' "$seen"
[ "$(grep -c ' 20 20 20 25 25$' <<<"$seen")" = 5 ] || changed "a search answers other positions"
[ "$(tail -n +3 <<<"$seen" | grep -c ' 20 21 22 23 24$')" = 5 ] || changed "jump=1 or KernelCPD answer other positions"
