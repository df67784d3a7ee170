"""Entry point of ``python -m studio``, including the program's internal processes.

Child processes are started with this file's path, so that they run the same program as their parent
even if another ``studio`` is installed or present in their working folder.
"""

import sys


def _load_this_package() -> None:
    """Register this file's folder as the package ``studio``."""
    import importlib.util
    from pathlib import Path

    package = Path(__file__).resolve().parent
    if importlib.util.find_spec("studio") is None:
        # The program runs from a checkout, or from a folder with all dependencies.
        sys.path.append(str(package.parent))
    spec = importlib.util.spec_from_file_location("studio", package / "__init__.py")
    assert spec is not None and spec.loader is not None, "a file of Python code"
    sys.modules["studio"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["studio"])


def main() -> None:
    """Run the requested entry point: an internal process, or ``studio``."""
    from studio import children

    match sys.argv[1:]:
        case [children.CALL_OPTION, name]:
            children.run_child(name)
        case [children.CODE_OPTION, code, *arguments]:
            children.run_code(code, *arguments)
        case _:
            from studio.cli import entry

            entry()


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder may contain arbitrary modules
    if not __package__:
        _load_this_package()
    main()
