"""``python -m studio`` is the ``studio`` command."""

from studio.cli import entry

if __name__ == "__main__":
    entry()
