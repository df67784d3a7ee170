"""The shell: the main window, which connects pages, models and commands."""
