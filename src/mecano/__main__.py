"""`python -m mecano` is the `mecano` command."""

import sys


def main() -> None:
    """Run the command; Ctrl-C while it is still being loaded ends it as quietly as later."""
    try:
        from mecano.cli.app import main as run

        run()
    except KeyboardInterrupt:
        from mecano.core.notices import say

        say("stopped")
        sys.exit(130)


if __name__ == "__main__":
    main()
