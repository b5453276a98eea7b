"""A user's own function in the place of one of ours.

A stage is named by its source, `student.py:solve` or `package.module:solve`, and must keep the
contract of its kind (see `CONTRACTS`). It runs in a process of its own: an endless loop, a crash
or a stray print cannot hurt the program that calls it, and every call has a time limit.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from types import TracebackType
from typing import Any

from mecano.core.errors import InvalidInput, StageFailed, UnknownName
from mecano.stages import worker as stage_worker

LOAD_LIMIT = 30.0
"""How long a stage may take to be imported [s]; libraries it uses are slow the first time."""
CALL_LIMIT = 2.0
"""How long one call may take [s]."""
MAX_ANSWER = 10_000_000
"""Longest answer that is read [bytes]."""


@dataclass(frozen=True, kw_only=True)
class Contract:
    """What a stage of one kind is given and must return."""

    name: str
    function: str
    """The call, as a student writes it."""
    given: str
    returns: str
    judge: str
    """Where the function is that tells right answers from wrong ones, as `module:name`."""


CONTRACTS = {
    "ik": Contract(
        name="ik",
        function="solve(x, y, z, pitch)",
        given="the tool's point in the base frame [m] and its nose-down angle [rad]",
        returns="a list of joint vectors [rad], one per solution; an empty list if there is none",
        judge="mecano.stages.ik_stage:judge_ik",
    ),
    "controller": Contract(
        name="controller",
        function="follow(pose, target, target_twist, speed, limits)",
        given="lists of three: pose of the base and of its target on the path, x, y [m], "
        "yaw [rad]; how the target moves, vx, vy [m/s], wz [rad/s] in the same frame; speed of the "
        "base now, forward, left [m/s], turn [rad/s]; the max of these, left is 0 for a base that "
        "cannot strafe",
        returns="three numbers: forward, left [m/s], turn [rad/s] in the frame of the base",
        judge="mecano.stages.controller_stage:judge_controller",
    ),
    "planner": Contract(
        name="planner",
        function="plan(cost, start, goal)",
        given="rows of costs (0 free to 252, from 253 on blocked), start and goal as (row, column)",
        returns="a list of (row, column) from start to goal; an empty list if there is no path",
        judge="mecano.stages.planner_stage:judge_planner",
    ),
}


def parse_use(uses: Sequence[str]) -> dict[str, str]:
    """Turn `["ik=student.py:solve"]` into `{"ik": "student.py:solve"}`, checking the names."""
    chosen = {}
    for use in uses:
        stage, equals, source = use.partition("=")
        if not equals or not source:
            raise InvalidInput(
                f"--use takes STAGE=SOURCE, for example ik=student.py:solve, got '{use}'"
            )
        if stage in chosen:
            raise InvalidInput(
                f"two functions for the stage '{stage}': {chosen[stage]} and {source}"
            )
        chosen[contract(stage).name] = source
    return chosen


def contract(stage: str) -> Contract:
    """Return the contract of a kind of stage, or say which kinds there are."""
    if stage not in CONTRACTS:
        raise UnknownName("stage", stage, CONTRACTS)
    return CONTRACTS[stage]


class UserStage:
    """A user's function, running in its own process. Use it in a `with` block."""

    def __init__(self, stage: str, source: str, *, call_limit: float = CALL_LIMIT) -> None:
        """Start the process and import the function, or raise `StageFailed` saying why not."""
        self.contract = contract(stage)
        self.source = source
        self.call_limit = call_limit
        self._process = subprocess.Popen(
            [sys.executable, stage_worker.__file__, source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us; and its own children end with it
        )
        self._answers: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read_answers, daemon=True).start()
        try:
            self._next_answer(LOAD_LIMIT, "could not be imported", "")
        except BaseException:
            self.close()
            raise

    def call(self, *arguments: Any) -> Any:
        """Return what the function returns for these arguments, as plain numbers and lists.

        Raises:
            StageFailed: It raised, returned something that is not numbers, ended the process or
                did not return in time. After the last two the stage cannot be called again.
        """
        given = f" for ({', '.join(map(_short, arguments))})"
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(arguments).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._failed("has ended and cannot be called again") from None
        return self._next_answer(self.call_limit, "did not return", given)

    def close(self) -> None:
        """End the process and what it started."""
        self._kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:  # what was not sent yet has no reader any more
                    continue

    def __enter__(self) -> "UserStage":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _read_answers(self) -> None:
        """Hand over the lines of the process; an empty one means that it has ended."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(MAX_ANSWER):
            self._answers.put(line)
        self._answers.put(b"")

    def _next_answer(self, limit: float, late: str, given: str) -> Any:
        try:
            line = self._answers.get(timeout=limit)
        except queue.Empty:
            self._kill()
            raise self._failed(
                f"{late} within {limit:g} s{given}; look for an endless loop"
            ) from None
        if not line:
            code = self._process.wait()
            raise self._failed(f"ended the whole process (exit code {code}){given}")
        if not line.endswith(b"\n"):
            self._kill()
            raise self._failed(f"returned more than {MAX_ANSWER / 1e6:.0f} MB{given}")
        try:
            answer = json.loads(line)
        except ValueError:
            self._kill()
            raise self._failed(f"wrote into the channel of its answers{given}") from None
        if "problem" in answer:
            raise self._failed(f"{answer['problem']}{given}")
        return answer["value"]

    def _kill(self) -> None:
        if os.name == "posix":
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                return
        else:
            self._process.kill()

    def _failed(self, problem: str) -> StageFailed:
        return StageFailed(self.contract.name, self.source, " ".join(problem.split()))


def _short(value: Any) -> str:
    """Return an argument as a message names it; of a table only its size."""
    if not isinstance(value, Sequence):
        return f"{value:.6g}"
    if value and isinstance(value[0], Sequence):
        return f"{len(value)} x {len(value[0])} numbers"
    return f"[{', '.join(map(_short, value))}]"


def judge(stage: UserStage, *arguments: Any, **options: Any) -> Any:
    """Judge a user's function by the rules of its contract."""
    module, _, name = stage.contract.judge.partition(":")
    return getattr(import_module(module), name)(stage, *arguments, **options)
