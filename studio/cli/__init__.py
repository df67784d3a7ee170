"""The command line: all functions of the window, without a window."""

from studio.cli.entry import entry, entry_window

__all__ = ["entry", "entry_window"]
