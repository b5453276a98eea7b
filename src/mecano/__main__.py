"""`python -m mecano` is the `mecano` command."""

import os
import sys
from pathlib import Path

KERNEL = "OPENBLAS_CORETYPE", "Haswell"
"""The kernel of the BLAS that runs are made with, where the processor has it: the same bits on all
processors with AVX2 and FMA, that is of x86 since 2013. A user's own choice comes first."""
PROCESSOR = Path("/proc/cpuinfo")


def choose_kernel() -> None:
    """Choose the kernel of the BLAS for this process and its children, before numpy is loaded."""
    try:
        words = set(PROCESSOR.read_text(encoding="utf-8").split())
    except OSError:  # another system: the record says which kernel it was
        return
    if {"avx2", "fma"} <= words:
        os.environ.setdefault(*KERNEL)


def main() -> None:
    """Run the command; Ctrl-C while it is still being loaded ends it as quietly as later."""
    try:
        choose_kernel()
        from mecano.cli.app import main as run

        run()
    except KeyboardInterrupt:
        from mecano.core.notices import say

        say("stopped")
        sys.exit(130)


if __name__ == "__main__":
    main()
