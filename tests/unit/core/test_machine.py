"""What the last bits of a run depend on, and who chooses it."""

import os
import subprocess
import sys

import pytest

from mecano import __main__ as command
from mecano.core.machine import CHOICE, blas_kernel, machine


def kernel_of(choice: str) -> str:
    """Return the kernel that another process has, told one."""
    code = "from mecano.core.machine import blas_kernel; print(blas_kernel())"
    told = os.environ | {CHOICE: choice}
    return subprocess.run(
        [sys.executable, "-c", code], env=told, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_the_machine_is_one_line():
    assert "Python" in machine() and "\n" not in machine()


@pytest.mark.skipif(blas_kernel() == "unknown", reason="another BLAS, or it does not tell")
def test_the_kernel_is_the_one_that_was_chosen():
    assert kernel_of("Nehalem") == "Nehalem"


@pytest.mark.parametrize(
    ("processor", "kernel"),
    [("flags : sse2 avx2 fma", "Haswell"), ("flags : sse2 avx", None), (None, None)],
)
def test_the_command_chooses_a_kernel_that_the_processor_has(
    tmp_path, monkeypatch, processor, kernel
):
    file = tmp_path / "cpuinfo"
    if processor is not None:
        file.write_text(processor)
    monkeypatch.setattr(command, "PROCESSOR", file)
    monkeypatch.delenv(CHOICE, raising=False)
    command.choose_kernel()
    chosen = os.environ.pop(CHOICE, None)
    assert chosen == kernel and command.KERNEL[0] == CHOICE


def test_the_choice_of_a_user_comes_first(monkeypatch):
    monkeypatch.setenv(CHOICE, "Nehalem")
    command.choose_kernel()
    assert os.environ[CHOICE] == "Nehalem"
