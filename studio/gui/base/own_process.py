"""Processes of ours that Qt looks after: their pipes are read in the window's event loop."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment

from studio.children import process_environment


def own_process(command: Sequence[str], parent: QObject, **more: str) -> QProcess:
    """Return a process that has not been started yet.

    Args:
        command: Of :mod:`studio.children`, with what follows.
        parent: Owns it.
        **more: Variables of its environment beside the usual ones.
    """
    process = QProcess(parent)
    process.setProgram(command[0])
    process.setArguments(list(command[1:]))
    environment = QProcessEnvironment()
    for name, value in process_environment(**more).items():
        environment.insert(name, value)
    process.setProcessEnvironment(environment)
    return process
