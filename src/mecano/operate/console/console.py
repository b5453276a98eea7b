"""The console: reads lines, carries them out, and helps a terminal."""

import re
from collections.abc import Iterator
from dataclasses import replace

from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.operate.console.context import Context
from mecano.operate.console.replies import Action, Reply, Status
from mecano.operate.console.table import COMMANDS, NOTES, by_name, find_command
from mecano.operate.console.words import refuse_lone_units, starting


class Console(Context):
    """Commands for one arm. It keeps a speed, the verbose switch and the history."""

    commands, notes = COMMANDS, NOTES

    def check(self, line: str) -> None:
        """Raise a `MecanoError` if a line cannot be understood. Nothing moves.

        An arm that it chooses is chosen for what is checked next; see `arm_name`.
        """
        self._read(line)

    def execute(self, line: str) -> Reply:
        """Carry out a line: one command, or several with `;` between, up to the first failure.

        Returns:
            The texts of all commands in one reply; the rest of it is of the last one.
        """
        replies = list(self.run(line))
        if not replies:
            return Reply()
        lines = tuple(text for reply in replies for text in reply.lines)
        return replace(replies[-1], lines=lines, command=line.strip())

    def run(self, line: str) -> Iterator[Reply]:
        """Carry out a line and yield one reply per command, as soon as it has one."""
        if _commands(line):
            self.history.append(line.strip())
        chosen = self.arm_name
        try:
            actions = self._read(line)
        except MecanoError as error:
            yield Reply(status=Status.WRONG, lines=(str(error),), command=line.strip())
            return
        finally:
            self.arm_name = chosen  # another one is chosen when its turn comes
        for text, action in actions:
            reply = _carry_out(action)
            yield replace(reply, command=text)
            if not reply.ok or reply.quit:
                return

    def _read(self, line: str) -> list[tuple[str, Action]]:
        return [(text, self._action(text)) for text in _commands(line)]

    def _action(self, text: str) -> Action:
        name, *words = (word.rstrip(",") for word in text.split())
        command = find_command(name, self.commands)
        words = [word for word in words if word]
        refuse_lone_units(words)
        if command.counts is not None and len(words) not in command.counts:
            raise command.misused(len(words))
        return command.read(self, words)

    # --- help for a terminal

    def complete(self, text: str) -> list[str]:
        """Return the words that can stand in the place of the last, unfinished one."""
        words = re.split(r"\s+", text.rpartition(";")[2].lstrip())
        if len(words) == 1:
            names = [command.name for command in self.commands]
            return starting(words[0], names) or starting(words[0], by_name(self.commands))
        command = by_name(self.commands).get(words[0].lower())
        if command is None or command.choices is None or len(words) > 2:
            return []
        return starting(words[1], command.choices(self))

    def status_line(self) -> str:
        """Return pose, gripper and time in one line."""
        gripper = self.gripper_or_none
        width = "" if gripper is None else f"  gripper {gripper.width * 1000:.1f} mm"
        return f"{self.pose_text()}{width}  speed {self.speed:.0%}  time {self.robot.time:.2f} s"


def _commands(line: str) -> list[str]:
    """Return the commands of a line; what follows a # is a comment."""
    texts = (text.strip() for text in line.partition("#")[0].split(";"))
    return [text for text in texts if text]


def _carry_out(action: Action) -> Reply:
    try:
        return action()
    except (InvalidInput, UnknownName) as error:
        return Reply(status=Status.WRONG, lines=(str(error),))
    except MecanoError as error:
        return Reply(status=Status.FAILED, lines=(str(error),))
