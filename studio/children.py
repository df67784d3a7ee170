"""Command lines and environments of the program's own Python processes.

Folders with tables may contain untrusted files, so nothing may be imported from the current folder
or that of a table or script: neither by ``-c`` and ``-m``, which add the current folder to the
path, nor by relative entries of ``PYTHONPATH``. ``-I`` would be too strict: it ignores
``PYTHONHASHSEED``, which reproducible results require, and the locations of whole installations
(``PYTHONPATH`` on clusters, user packages).

In a bundle (``packaging/bundle.py``) there is no Python to start: its executable ``studio`` is the
same program, imports nothing from outside the bundle, and takes its role from the first argument.
"""

import importlib
import json
import os
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import subprocess

CALL_OPTION = "--call"
"""First argument of a process that calls a module's ``main`` instead of ``studio``."""

PHRASES_VARIABLE = "STUDIO_PHRASES"
"""Environment variable of commands with phrases in their JSON (:mod:`studio.phrases`)."""

CODE_OPTION = "--code"
"""First argument of a bundle's process that runs Python code instead of ``studio``."""

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
"""Variables with the number of threads of numeric libraries."""

_PACKAGE = Path(__file__).resolve().parent
_ENTRY_POINT = _PACKAGE / "__main__.py"
"""Entry file of all processes, located by path rather than by module name."""


def make_studio_command(*arguments: object) -> list[str]:
    """Return the command line of ``studio ARGUMENT …`` as a separate process."""
    return [*_get_entry_script(), *map(str, arguments)]


def make_module_command(module: str, *arguments: object) -> list[str]:
    """Return the command line that calls ``module.main(*arguments)`` in a fresh interpreter.

    The search path is that of this process, without the user's folders (:func:`make_safe_path`);
    unlike with ``multiprocessing``, the user's ``__main__`` script is not run again.

    Args:
        module: Dotted name.
        *arguments: Plain JSON.
    """
    order = json.dumps([module, arguments, make_safe_path()])
    return [*_get_entry_script("-W", "ignore"), CALL_OPTION, order]


def make_code_command(code: str, *arguments: str) -> list[str]:
    """Return the command line that runs Python code isolated from this program."""
    if _is_bundle():
        return [*_get_entry_script(), CODE_OPTION, code, *arguments]
    return [sys.executable, "-P", "-c", code, *arguments]


def get_pip_command() -> str:
    """Return the shell command of this interpreter's pip; a bundle has none."""
    if _is_bundle() or not sys.executable:
        return "pip"
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    return f"{python} -m pip"


def start_engine(document: Path, run_id: int, cluster: str = "") -> "subprocess.Popen[bytes]":
    """Start the engine, with a user-confirmed cluster if any, for a run and return at once."""
    arguments = ("--cluster", cluster) if cluster else ()
    return start_detached(make_studio_command("engine", document, "--run", run_id, *arguments))


def start_detached(command: list[str]) -> "subprocess.Popen[bytes]":
    """Start a process of this program that outlives this one, and return at once.

    It stays in the caller's POSIX session, because niceness only applies within a session (Linux
    groups processes by session); it ignores SIGHUP instead, to outlive the window. Its output is
    discarded; its messages are in the document.
    """
    import subprocess  # imported late, as user folders are still on the path above

    from studio.system.processes import get_detached_options

    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=make_process_environment(**dict.fromkeys(THREAD_VARIABLES, "1")),
        **get_detached_options(),
    )


def run_child(order: str) -> NoReturn:
    """Run as the process of :func:`make_module_command`."""
    module, arguments, path = json.loads(order)
    sys.path[:] = path
    sys.exit(importlib.import_module(module).main(*arguments))


def run_code(code: str, *arguments: str) -> None:
    """Run as the process of :func:`make_code_command` in a bundle, like ``python -c``."""
    for name in [each for each in sys.modules if each.partition(".")[0] == "studio"]:
        del sys.modules[name]
    sys.argv[:] = ["-c", *arguments]
    exec(code, vars(sys.modules["__main__"]))  # noqa: S102 - it is the program's own code


def limit_threads() -> None:
    """Limit numeric libraries to one thread; must run before numpy is imported.

    For the program's many small problems threads cost more than they gain, and they would compete
    with the workers for cores.
    """
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")


def make_process_environment(**variables: str) -> dict[str, str]:
    """Return the environment of an internal process, made safe for child processes."""
    environment = {**os.environ, "PYTHONSAFEPATH": "1", **variables}
    if "PYTHONPATH" in environment:
        entries = environment["PYTHONPATH"].split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join(
            each for each in entries if Path(each).is_absolute()
        )
    return environment


def make_safe_path() -> list[str]:
    """Return this process's ``sys.path`` for an internal process with another working folder.

    The current folder, relative entries and the script's folder are left out; if one of them
    contains this package (a checkout that is not installed), it is moved to the end. Entries other
    than paths (hooks) are kept.
    """
    user_folders = _list_user_folders()
    paths = []
    for entry in sys.path:
        folder = Path(entry).resolve()
        if not folder.exists():
            paths.append(entry)
        elif Path(entry).is_absolute() and folder not in user_folders:
            paths.append(str(folder))
    package_folder = _PACKAGE.parent
    return [*paths, str(package_folder)] if package_folder in user_folders else paths


def _list_user_folders() -> set[Path]:
    """Return the current folder and the script's, unless they belong to Python."""
    main = sys.modules.get("__main__")
    script = getattr(main, "__file__", None)
    folders = {Path.cwd().resolve()}
    if script and getattr(main, "__spec__", None) is None:
        folders.add(Path(script).resolve().parent)
    return folders - {Path(each).resolve() for each in sysconfig.get_paths().values()}


def exclude_user_folders() -> None:
    """Prevent imports from the user's working folder.

    For the start of the program's own processes: otherwise imports would first be searched for in
    the current folder, or in that of the installed command.
    """
    paths = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    relative_paths = {str(Path(each).absolute()) for each in paths if not Path(each).is_absolute()}
    sys.path[:] = [each for each in make_safe_path() if each not in relative_paths]


def clean_bundle_env() -> None:
    """Remove variables set by a bundle's start from the environment.

    Otherwise a file manager or browser started from here would load the bundle's libraries instead
    of the system's.
    """
    if not _is_bundle():
        return
    for name in [each for each in os.environ if each.startswith("_PYI_")]:
        del os.environ[name]
    original_path = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    os.environ.pop("LD_LIBRARY_PATH", None)
    if original_path is not None:
        os.environ["LD_LIBRARY_PATH"] = original_path


def _is_bundle() -> bool:
    return bool(getattr(sys, "frozen", False))


def _get_entry_script(*options: str) -> list[str]:
    if _is_bundle():
        # The window's executable is in the same folder.
        return [str(Path(sys.executable).with_stem("studio"))]
    return [sys.executable, "-P", *options, str(_ENTRY_POINT)]
