"""The command line: everything the window does, without a window."""

from studio.cli.entry import entry, entry_window

__all__ = ["entry", "entry_window"]
