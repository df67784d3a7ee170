"""The ``.studio`` file: one SQLite database that engine, window and command line share."""
