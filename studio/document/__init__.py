"""The ``.studio`` file: one SQLite database shared by engine, window and command line."""
