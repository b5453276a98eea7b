"""`python -m mecano` is the `mecano` command."""

from mecano.cli.app import main

main()
