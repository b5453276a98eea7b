"""What a command says beside its answer: on stderr, so that a script reads the answer alone."""

from mecano.core.notices import say


def mention(text: str) -> None:
    """Say what was done, or what can be done next."""
    say(text, "remark")


def warn(text: str) -> None:
    """Say what the user should know before trusting the answer."""
    say(text, "warning")


def complain(text: str) -> None:
    """Report a usage error."""
    say(text, "error")
