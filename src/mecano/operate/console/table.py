"""The words of the language: what each is called, takes and does."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from mecano.core.errors import InvalidInput
from mecano.kinematics.joint_names import short_joint_names
from mecano.operate.console import asking, control, explaining, moving
from mecano.operate.console.context import Context
from mecano.operate.console.replies import Action, Reply

NOTES = (
    "Numbers are metres and radians; 120mm, 12cm, 45deg and 50% are understood. Pitch is how far",
    "the nose of the tool points down. `;` joins commands, `#` starts a comment.",
    "Time stands still between commands; moves take the time they need and `wait 2` lets it pass.",
)


@dataclass(frozen=True)
class Command:
    """One word of the language."""

    name: str
    usage: str
    summary: str
    read: Callable[[Context, list[str]], Action]
    """Checks the words behind the name and returns what to do."""
    counts: tuple[int, ...] | None = (0,)
    """How many words may follow; None if `read` judges that."""
    example: str = ""
    aliases: tuple[str, ...] = ()
    choices: Callable[[Context], Iterable[str]] | None = None
    """What can be the first word behind the name."""
    more: tuple[str, ...] = ()
    """Further lines of its help."""

    def misused(self, count: int) -> InvalidInput:
        """Return the error for a wrong number of words."""
        takes = f"takes {self.usage}" if self.usage else "stands alone"
        return InvalidInput(
            f"{self.name} {takes}, got {count or 'no'} value{'s' if count != 1 else ''}; "
            f"for example: {self.example}"
        )

    @property
    def form(self) -> str:
        """The name with what may follow it."""
        return f"{self.name} {self.usage}".strip()

    def help_lines(self) -> tuple[str, ...]:
        """Return all there is to know."""
        also = [f"also: {', '.join(self.aliases)}"] if self.aliases else []
        details = (self.summary, *self.more, f"example: {self.example}", *also)
        return (self.form, *(f"  {line}" for line in details))


def by_name(commands: Sequence[Command]) -> dict[str, Command]:
    """Return commands by name, and by the aliases, which are written in small letters."""
    return {name: command for command in commands for name in (command.name, *command.aliases)}


def find_command(name: str, commands: Sequence[Command] | None = None) -> Command:
    """Return the command a word stands for, or say which one comes nearest; None: of an arm."""
    known = by_name(COMMANDS if commands is None else commands)
    command = known.get(name.lower())
    if command is None:
        guess = get_close_matches(name.lower(), known, n=1)
        hint = f"did you mean '{guess[0]}'? " if guess else ""
        raise InvalidInput(f"no command '{name}'; {hint}help lists all commands")
    return command


def show_help(context: Context, words: list[str]) -> Action:
    """List all commands, or tell more on one."""
    known = context.commands
    lines = find_command(words[0], known).help_lines() if words else _all_help(context)
    return lambda: Reply(lines=lines)


def _all_help(context: Context) -> tuple[str, ...]:
    head = "commands, in any case; [ ] may be left out, help NAME tells more:"
    lines = (f"  {each.form:26} {each.summary}" for each in context.commands)
    return (head, *lines, *context.notes)


ARM_COMMANDS = (
    Command(
        "goto", "x y z [pitch]", "move the tool to a point, the shortest way for the joints",
        moving.goto, (3, 4), "goto 0.2 0 120mm 45deg", ("go", "setpos", "position"), more=(
            "Without a pitch the arm chooses one. Of all branches it takes the nearest whose way",
            "is free. The paper's grip angle is this pitch with the other sign.",
        ),
    ),
    Command(
        "line", "x y z [pitch]", "move the tool to a point in a straight line", moving.line,
        (3, 4), "line 0.2 0.05 0.1", ("l",), more=("Without a pitch the present one is kept.",),
    ),
    Command(
        "joints", "[q1 q2 ...]", "move all joints, or read them", moving.joints,
        None, "joints 0 -1 1 0", ("j",),
    ),
    Command(
        "joint", "NAME [value]", "move one joint, or read it", moving.one_joint,
        (1, 2), "joint joint1 30deg", choices=lambda context: short_joint_names(context.arm.chain),
    ),
    Command(
        "posture", "[NAME]", "move to a named posture, or list them", moving.posture,
        (0, 1), "posture zero", ("p",), lambda context: context.arm.chain.postures,
    ),
    Command("home", "", "move to the posture home", moving.home, example="home"),
    Command(
        "open", "[width]", "open the gripper, or to a width", moving.open_gripper,
        (0, 1), "open 40mm", ("o",),
    ),
    Command(
        "close", "[force]", "close the gripper, with a force per finger", moving.close_gripper,
        (0, 1), "close 10N", ("c", "grip"),
    ),
    Command(
        "where", "", "joints, tool, gripper and time", asking.where,
        example="where", aliases=("w", "getpos", "g"),
    ),
    Command(
        "branches", "[x y z pitch]", "all joint values for a pose, or for the present one",
        explaining.branches, (0, 4), "branches 0.01 0.12 0.34 -80deg", ("b",), more=(
            "* marks the branch the arm is in. Each is put back through the forward kinematics.",
        ),
    ),
    Command(
        "explain", "x y z [pitch]", "why a pose is reached or not, without moving",
        explaining.explain, (3, 4), "explain 0.4 0 0.1 0", ("why", "e"),
    ),
    Command(
        "speed", "[fraction]", "set or show how fast it moves", control.speed, (0, 1), "speed 50%",
    ),
    Command("limits", "", "what joints, tool and gripper can do", asking.limits, example="limits"),
    Command(
        "verbose", "[on|off]", "tell the branch and the plan of each move", control.verbose,
        (0, 1), "verbose on", ("v",), lambda _: ("on", "off"),
    ),
)  # fmt: skip
"""Words that only an arm understands."""
GENERAL = (
    Command("wait", "seconds", "let time pass", control.wait, (1,), "wait 2", ("sleep",)),
    Command("stop", "", "stop every motion and hold", control.stop, example="stop", aliases=("s",)),
    Command(
        "scene", "[NAME]", "what is around the robot, and where", asking.scene,
        (0, 1), "scene cube", choices=asking.things,
    ),
    Command("reset", "", "begin again as at the start", control.reset, example="reset"),
    Command("history", "", "the lines given so far", control.history, example="history"),
    Command(
        "help", "[command]", "this list, or more on one command", show_help,
        (0, 1), "help wait", ("?", "h"), lambda context: [each.name for each in context.commands],
    ),
    Command("clear", "", "clear the screen", control.clear, example="clear", aliases=("clc",)),
    Command("exit", "", "leave", control.leave, example="exit", aliases=("quit", "q")),
)  # fmt: skip

"""Words that every robot understands."""
COMMANDS = (*ARM_COMMANDS, *GENERAL)
