"""What a command says beside its answer: on stderr, so that a script reads the answer alone."""

import typer


def mention(text: str) -> None:
    """Say what was done, or what can be done next."""
    typer.secho(text, err=True)


def warn(text: str) -> None:
    """Say what the user should know before trusting the answer."""
    typer.secho(text, fg="yellow", err=True)


def complain(text: str) -> None:
    """Say what was asked wrongly."""
    typer.secho(f"mecano: {text}", fg="red", err=True)
