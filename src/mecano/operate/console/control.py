"""Commands for speed, time and the console itself."""

from dataclasses import replace

from mecano.operate.console.context import Context
from mecano.operate.console.replies import Action, Reply, Status
from mecano.operate.console.words import FRACTION, TIME, pick


def speed(context: Context, words: list[str]) -> Action:
    """Set or show how fast it moves."""
    wanted = FRACTION.read(words[0], "speed", 0.01, 1.0) if words else None

    def change() -> Reply:
        context.speed = context.speed if wanted is None else wanted
        limits = context.arm.limits
        text = (
            f"speed {context.speed:.0%}: joints up to {limits.velocity * context.speed:.3g} rad/s, "
            f"tool on a line up to {limits.tool_velocity * context.speed:.3g} m/s"
        )
        return Reply(lines=(text,), data={"speed": context.speed})

    return change


def wait(context: Context, words: list[str]) -> Action:
    """Let time pass."""
    seconds = TIME.read(words[0], "time", 0.0, 3600.0)

    def let_pass() -> Reply:
        context.robot.wait(seconds)
        text = f"{seconds:g} s later, time {context.robot.time:.2f} s"
        return Reply(lines=(text,), data=context.state())

    return let_pass


def stop(context: Context, words: list[str]) -> Action:
    """Stop every motion and hold."""
    return lambda: replace(context.interrupt(), status=Status.DONE)


def reset(context: Context, words: list[str]) -> Action:
    """Begin again as at the start; speed, verbose switch and history stay."""

    def begin_again() -> Reply:
        context.robot.reset()
        return Reply(lines=(f"everything as at the start, {context.pose_text()}",))

    return begin_again


def verbose(context: Context, words: list[str]) -> Action:
    """Tell the branch and the plan of each move, or no longer."""
    wanted = pick(words[0], "choice", ("on", "off")) if words else None

    def switch() -> Reply:
        context.verbose = not context.verbose if wanted is None else wanted == "on"
        text = "on: moves tell their branch and plan" if context.verbose else "off"
        return Reply(lines=(f"verbose {text}",), data={"verbose": context.verbose})

    return switch


def history(context: Context, words: list[str]) -> Action:
    """Tell the lines given so far."""
    return lambda: Reply(
        lines=tuple(f"{number:4} {line}" for number, line in enumerate(context.history, 1)),
        data={"history": list(context.history)},
    )


def clear(context: Context, words: list[str]) -> Action:
    """Clear the screen."""
    return lambda: Reply(clear=True)


def leave(context: Context, words: list[str]) -> Action:
    """Leave the console."""
    return lambda: Reply(quit=True)
