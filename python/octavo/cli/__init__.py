"""Command lines: thin, one file for each command."""
