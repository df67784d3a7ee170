"""Rules of the architecture, checked on the code: direction of imports, no Qt in the core.

Imports count anywhere: at the top, in functions, and under ``TYPE_CHECKING``.
"""

import ast
import gc
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "studio"

LEVELS = (
    {
        "errors",
        "arrays",
        "deferred",
        "garbage",
        "currencies",
        "numerals",
        "palette",
        "parts",
        "phrases",
        "setting",
        "trial",
        "assets",
    }
    | {
        "annotations",
        "awake_clock",
        "plain_json",
        "version",
        "atomic_files",
        "printable",
        "libraries",
        "extras",
        "language",
        "measure",
        "seeds",
        "tasks",
        "children",
        "figures",
        "scratch",
        "system",
        "system_faults",
    },
    {"space", "data"},
    {"acquisition", "ensembles", "surrogates"},
    {"document", "proposers", "learners", "serialization"},
    {"runs"},
    {"analysis"},
    {"questions"},
    {"export", "compare"},
    {"helper"},
    {"gui", "cli", "api", "__main__"},
)
# Acquisition maximises what a surrogate predicts.
SIDEWAYS = {("acquisition", "surrogates"), ("cli", "gui"), ("__main__", "cli")}

GUI_LAYERS = ("base", "widgets", "session", "drafts", "plots", "view", "pages", "shell")
"""The folders of ``gui``: each may import those before it; ``app`` and ``screenshot``, all.

The views of the questions (:func:`is_view`) are a separate layer among them.
"""

QT = {"PySide6", "shiboken6", "pyqtgraph", "PyQt6", "qtpy"}
MAX_FLAT = 10

Imports = Mapping[str, frozenset[str]]


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    return {dotted(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def trees() -> dict[str, ast.Module]:
    gc.disable()  # it would go through the growing trees again and again
    try:
        return {
            name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules().items()
        }
    finally:
        gc.enable()


@cache
def nodes() -> dict[str, dict[type[ast.AST], list[Any]]]:
    """Return the imports, calls, attributes and assignments of each module."""
    nodes_by_module: dict[str, dict[type[ast.AST], list[Any]]] = {}
    for name, tree in trees().items():
        nodes_by_module[name] = {
            ast.Import: [],
            ast.ImportFrom: [],
            ast.Call: [],
            ast.Attribute: [],
            ast.Assign: [],
        }
        for node in ast.walk(tree):
            if type(node) in nodes_by_module[name]:
                nodes_by_module[name][type(node)].append(node)
    return nodes_by_module


@pytest.fixture(scope="module", autouse=True)
def clear() -> Iterator[None]:
    """Clear the cached syntax trees, to speed up later garbage collection."""
    yield
    nodes.cache_clear()
    trees.cache_clear()


@cache
def imports() -> Imports:
    """Return the imports of each module: own modules by full names, others as written."""
    own_modules = modules()
    imports_by_module = {}
    for name, kinds in nodes().items():
        imported_modules = {alias.name for node in kinds[ast.Import] for alias in node.names}
        for node in kinds[ast.ImportFrom]:
            if node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                imported_modules |= (inner & own_modules.keys()) or {node.module}
        imports_by_module[name] = frozenset(imported_modules)
    return imports_by_module


def list_own_modules() -> Imports:
    return {
        name: imported_modules & modules().keys() for name, imported_modules in imports().items()
    }


def is_view(name: str) -> bool:
    """Return whether a module is a question's view, which may import Qt."""
    return name.startswith("studio.questions.") and name.endswith(".view")


def get_package(name: str) -> str:
    """Return the package of a module; the views of questions belong to the window."""
    if is_view(name):
        return "gui"
    return name.split(".")[1] if "." in name else ""


def level(name: str) -> int:
    for number, names in enumerate(LEVELS):
        if name in names:
            return number
    raise AssertionError(f"{name} has no level; see docs/architecture.md")


@pytest.mark.slow
def test_packages_import_in_one_direction() -> None:
    against = []
    for name, imported_modules in list_own_modules().items():
        for other in imported_modules:
            here, there = get_package(name), get_package(other)
            if "" in (here, there) or here == there or (here, there) in SIDEWAYS:
                continue
            if not (level(there) < level(here) or level(there) == level(here) == 0):
                against.append(f"{name} imports {other}")
    assert against == []


def get_layer(name: str) -> int:
    part = "view" if is_view(name) else name.split(".")[2] if name.count(".") > 1 else ""
    return GUI_LAYERS.index(part) if part in GUI_LAYERS else len(GUI_LAYERS)


def list_window_modules() -> Iterable[tuple[str, str]]:
    for name, imported_modules in list_own_modules().items():
        for other in imported_modules:
            if get_package(name) == get_package(other) == "gui":
                yield name, other


@pytest.mark.slow
def test_window_layers_import_downwards() -> None:
    assert [pair for pair in list_window_modules() if get_layer(pair[1]) > get_layer(pair[0])] == []


@pytest.mark.slow
def test_pages_do_not_import_each_other() -> None:
    pages = GUI_LAYERS.index("pages")
    strangers = [
        (name, other)
        for name, other in list_window_modules()
        if get_layer(name) == get_layer(other) == pages
        and name.split(".")[3] != other.split(".")[3]
    ]
    assert strangers == []


def test_window_folders_have_no_import_cycles() -> None:
    pairs = {
        (name.rpartition(".")[0], other.rpartition(".")[0]) for name, other in list_window_modules()
    }
    assert [pair for pair in pairs if pair[0] < pair[1] and pair[::-1] in pairs] == []


def test_modules_have_no_import_cycles() -> None:
    try:
        TopologicalSorter(list_own_modules()).prepare()
    except CycleError as circle:
        raise AssertionError(circle.args[1]) from circle


def test_window_has_few_top_level_modules() -> None:
    assert len(list((PACKAGE / "gui").glob("*.py"))) < MAX_FLAT


def test_core_does_not_mention_qt() -> None:
    roots = {
        name: {module.split(".")[0] for module in imported_modules}
        for name, imported_modules in imports().items()
        if get_package(name) != "gui"
    }
    assert {name for name, imported_modules in roots.items() if imported_modules & QT} == set()


def test_processes_do_not_listen_on_sockets() -> None:
    listens = {"http", "multiprocessing", "socket", "socketserver", "xmlrpc", "PySide6.QtNetwork"}
    for name, imported_modules in imports().items():
        assert not listens & {
            *imported_modules,
            *(each.split(".")[0] for each in imported_modules),
        }, name


def test_question_packages_have_four_modules() -> None:
    names = {name for name in modules() if name.startswith("studio.questions.")}
    folders = {name for name in names if name.count(".") == 2}
    assert folders
    for folder in folders:
        assert {f"{folder}.{each}" for each in ("answer", "compute", "figure", "view")} <= names


def test_program_does_not_import_developer_tools() -> None:
    tools = {path.stem for path in (ROOT / "packaging").iterdir()} | {"tests", "pytest"}
    roots = {
        module.split(".")[0]
        for imported_modules in imports().values()
        for module in imported_modules
    }
    assert {"bench", "torture", "dev"} <= tools
    assert tools & roots == set()


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
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert process.returncode == 0, process.stderr


@pytest.mark.slow
def test_core_can_be_imported_without_qt() -> None:
    names = [name for name in modules() if get_package(name) != "gui"]
    import_all([name for name in names if name != "studio.__main__"], QT)


@pytest.mark.slow
def test_window_modules_import_no_heavy_libraries() -> None:
    names = [name for name in modules() if get_package(name) == "gui"]
    names += [
        name for name in modules()
        if name.startswith("studio.questions.") and name.endswith((".answer", ".figure"))
    ]  # fmt: skip
    # Imported in a function when the first table arrives, which would block the window.
    names += ["studio.proposers.spaces"]
    import_all(names, {"pandas", "sklearn", "lightgbm", "scipy", "joblib"})


PART_PACKAGES = (
    "studio.proposers", "studio.surrogates", "studio.acquisition", "studio.ensembles",
    "studio.learners", "studio.data.evaluation", "studio.data.metrics",
)  # fmt: skip


def registered_parts() -> dict[str, str]:
    """Return the package of each registered part, by class."""
    package_by_class = {}
    for home in PART_PACKAGES:
        for name, tree in trees().items():
            if not name.startswith(f"{home}.") or not name.endswith(".registry"):
                continue
            lists = (node.value for node in tree.body if isinstance(node, ast.AnnAssign))
            package_by_class |= {
                each.id: home for value in lists if value for each in ast.walk(value)
                if isinstance(each, ast.Name) and each.id[0].isupper()
            }  # fmt: skip
    return package_by_class


@pytest.mark.slow
def test_isinstance_checks_of_parts_are_inside_their_package() -> None:
    packages = registered_parts()
    assert {"DivBO", "GaussianProcess", "Slots", "SigmoidMargin", "LocalSearch"} <= packages.keys()
    recognised = [
        f"{name} asks for {each.id}"
        for name, kinds in nodes().items()
        for node in kinds[ast.Call]
        if isinstance(node.func, ast.Name) and node.func.id in {"isinstance", "issubclass"}
        for each in ast.walk(node.args[1])
        if isinstance(each, ast.Name) and each.id in packages
        if not name.startswith(f"{packages[each.id]}.")
        and imports_from(kinds, each.id, packages[each.id])
    ]
    assert recognised == []


def imports_from(kinds: Mapping[type[ast.AST], list[Any]], name: str, home: str) -> bool:
    """Return whether a module imports a name from a package."""
    return any(
        (node.module or "").startswith(f"{home}.")
        and any(alias.name == name for alias in node.names)
        for node in kinds[ast.ImportFrom]
    )


@pytest.mark.slow
def test_only_one_module_starts_processes() -> None:
    starting = {
        name
        for name, kinds in nodes().items()
        for node in kinds[ast.Attribute]
        if node.attr == "executable"
    }
    assert starting == {"studio.children"}


SAVING = {"getSaveFileName", "getSaveFileUrl", "saveFileContent", "AcceptSave"}
"""Names of dialogs for saving a file, possibly over an existing one."""


@pytest.mark.slow
def test_only_one_module_opens_save_dialogs() -> None:
    asking = {
        name
        for name, kinds in nodes().items()
        for node in kinds[ast.Attribute]
        if node.attr in SAVING
    }
    assert asking == {"studio.gui.base.saving"}


SYSTEMS = {"fcntl", "grp", "msvcrt", "pwd", "resource", "signal", "termios", "winreg"}
"""Modules missing or different on some systems."""

OF_SYSTEMS = {
    "sys": {"platform", "getwindowsversion"},
    "os": {"name", "fork", "geteuid", "getuid", "killpg", "link", "nice", "setsid", "startfile"},
    "subprocess": {"CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW"},
}
"""Attributes that query the system, or are missing on some systems."""


@pytest.mark.slow
def test_only_one_package_checks_platform() -> None:
    asking = {
        name
        for name, kinds in nodes().items()
        for node in kinds[ast.Attribute]
        if isinstance(node.value, ast.Name)
        if node.attr in OF_SYSTEMS.get(node.value.id, ())
    } | {name for name, imported_modules in imports().items() if imported_modules & SYSTEMS}
    assert {name for name in asking if get_package(name) != "system"} == set()


def test_only_allowed_modules_open_sqlite_connections() -> None:
    """Companion files are checked there first; others only open drafts and in-memory databases."""
    opening = {
        name
        for name, kinds in nodes().items()
        for node in kinds[ast.Attribute]
        if isinstance(node.value, ast.Name)
        if (node.value.id, node.attr) == ("sqlite3", "connect")
    }
    assert opening == {
        "studio.document.connecting", "studio.document.schema", "studio.document.store",
    }  # fmt: skip
    callers = {
        name
        for name, imported_modules in list_own_modules().items()
        if "studio.document.connecting" in imported_modules
    }
    assert callers == {"studio.document.locating", "studio.document.log_check"}


@pytest.mark.slow
def test_every_module_folder_is_installed_package() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    setuptools = settings["tool"]["setuptools"]
    folders = {path.parent for path in modules().values()}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
    packages = {dotted(folder / "__init__.py") for folder in folders}
    assert packages == {*setuptools["packages"]} - {*setuptools["package-dir"]}


@pytest.mark.slow
def test_flag_and_count_names_are_not_used_for_other_values() -> None:
    """Names ``is_x`` are boolean, names ``n_x`` are counts."""
    misnamed = [
        f"{name}: {ast.unparse(node)[:80]}"
        for name, kinds in nodes().items()
        for node in kinds[ast.Assign]
        for target in node.targets
        if isinstance(target, ast.Name | ast.Attribute)
        if _is_misnamed(getattr(target, "id", getattr(target, "attr", "")).lstrip("_"), node.value)
    ]
    assert misnamed == []


_FLAG_PREFIXES = ("is_", "are_", "has_", "have_", "can_", "was_", "will_")
_NO_FLAGS = {"flatnonzero", "argsort", "eye", "phrase", "tr", "N_", "QTimer", "replace", "fit"}
_COLLECTIONS = (
    ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp,
)  # fmt: skip


def _is_misnamed(name: str, value: ast.expr) -> bool:
    if name.startswith("n_"):
        return isinstance(value, _COLLECTIONS)
    if not name.startswith(_FLAG_PREFIXES):
        return False
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).rpartition(".")[2] in _NO_FLAGS
    return isinstance(value, ast.Set | ast.SetComp | ast.JoinedStr)
