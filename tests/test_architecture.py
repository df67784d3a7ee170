"""The house's rules, held by reading the code: direction of imports, no Qt in the core."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "studio"

LEVELS = (
    {"errors", "arrays", "palette", "parts", "phrases", "trial", "assets", "version", "seeds"}
    | {"children", "living", "scratch", "system_faults"},
    {"space", "data"},
    {"acquisition", "ensembles", "surrogates"},
    {"document", "proposers", "learners", "keeping"},
    {"runs"},
    {"export", "compare"},
    {"helper"},
    {"gui", "cli", "bench", "api", "__main__"},
)
# Acquisition maximises what a surrogate predicts.
SIDEWAYS = {("acquisition", "surrogates"), ("cli", "gui"), ("cli", "bench"), ("__main__", "cli")}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def level(name: str) -> int:
    for number, names in enumerate(LEVELS):
        if name in names:
            return number
    raise AssertionError(f"{name} has no place in the house; see docs/architecture.md")


def imported(path: Path) -> set[str]:
    """Return every module that the file imports, at its top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    here = room(path)
    if here == "__init__":
        return
    for module in imported(path):
        if not module.startswith("studio."):
            continue
        there = module.split(".")[1]
        if there != here and (here, there) not in SIDEWAYS:
            foundations = level(there) == level(here) == 0
            assert level(there) < level(here) or foundations, f"{path} imports {module}"


@pytest.mark.parametrize(
    "path", [p for p in modules() if room(p) != "gui"], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_the_core_never_names_qt(path: Path) -> None:
    roots = {module.split(".")[0] for module in imported(path)}
    assert not roots & {"PySide6", "shiboken6", "pyqtgraph", "PyQt6", "qtpy"}


IMPORT_ALL = """
import importlib, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Blocked())
for name in {names!r}:
    importlib.import_module(name)
"""


def import_all(names: list[str], blocked: set[str]) -> None:
    code = IMPORT_ALL.format(blocked=blocked, names=names)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_everything_but_the_window_imports_with_qt_blocked() -> None:
    names = [dotted(path) for path in modules() if room(path) not in {"gui", "__main__"}]
    import_all(names, {"PySide6", "shiboken6", "pyqtgraph"})


def test_the_windows_modules_need_none_of_the_heavy_libraries() -> None:
    names = [dotted(path) for path in modules() if room(path) == "gui"]
    import_all(names, {"pandas", "sklearn", "lightgbm", "scipy", "joblib"})


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_one_place_knows_how_processes_of_ours_are_started(path: Path) -> None:
    if path.name == "children.py":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        named = isinstance(node, ast.Attribute) and node.attr == "executable"
        assert not named, f"{path} starts Python by itself; see studio/children.py"


def test_every_package_is_named_for_installation() -> None:
    listed = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for init in PACKAGE.rglob("__init__.py"):
        assert f'"{dotted(init)}"' in listed, f"add {dotted(init)} to [tool.setuptools] packages"


def test_every_folder_with_modules_is_a_package() -> None:
    for folder in {path.parent for path in modules()}:
        assert (folder / "__init__.py").exists(), folder
