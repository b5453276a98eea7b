"""Run a part of the corpus by hand: python -m slam_corpus buildings 20; ... variants FOLDER."""

import sys
from pathlib import Path

from slam_corpus.cases import Case, find_logs, run_case
from slam_corpus.variants import VARIANTS

if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "buildings":
        cases = [Case(number=number) for number in range(int(words[0]))]
    else:
        names = [None, *VARIANTS] if what == "variants" else [None]
        cases = [Case(log=log, variant=name) for log in find_logs(Path(words[0])) for name in names]
    for row in map(run_case, cases):
        print(
            f"{row.name:24} {row.variant:26} {row.scans:5} scans {row.error:7.3f} m "
            f"worst {row.worst or 0.0:6.2f} {'BROKEN' if row.broken else '':6} "
            f"{row.loops:4} loops {row.false_loops or 0:3} false {row.seconds:5.1f} s",
            flush=True,
        )
