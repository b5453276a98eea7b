"""The `mecano` command: thin verbs. Nothing slow is imported before it is used."""
