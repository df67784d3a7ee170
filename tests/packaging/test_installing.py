"""Requirements and commands in the README and the installation page."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGE = (ROOT / "docs" / "installing.md").read_text("utf-8")


@pytest.mark.parametrize(
    "needed",
    [
        r"Python 3\.11 or later, git, a network and [\d.]+ GB",
        r"`sudo apt install \./ensemble-studio_\*\.deb`",
        r"`\.deb` \(\d+ MB\)",
        r"`\.run` file \(\d+ MB\)",
        r"all tests: \d+ minutes",
    ],
)
def test_installation_page_lists_requirements(needed: str) -> None:
    assert re.search(needed, PAGE)


def test_both_pages_state_same_duration_of_tests() -> None:
    (readme,) = re.findall(r"run all tests \((\d+) minutes; --quick: (\d+)\)", README)
    (page,) = re.findall(r"all tests: (\d+) minutes.*\(the quick ones: (\d+)\)", PAGE)
    assert readme == page


def _list_system_tools() -> set[str]:
    """Return the tools called with the system's Python in pages and docstrings."""
    texts = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packaging/**/*.md")]
    texts += ROOT.glob("packaging/*.py")
    matches = (
        re.findall(r"\bpython3 (packaging/[\w./]+)", each.read_text("utf-8")) for each in texts
    )
    return {tool for tools in matches for tool in tools}


@pytest.mark.slow
@pytest.mark.parametrize("tool", sorted(_list_system_tools()))
def test_scripts_for_system_python_need_no_package(tool: str) -> None:
    bare = [sys.executable, "-S", "-E"]  # sees no installed package
    assert subprocess.run(
        [*bare, "-c", "import numpy"], check=False, capture_output=True
    ).returncode
    process = subprocess.run([*bare, ROOT / tool, "--help"], check=False, capture_output=True)
    assert process.returncode == 0, process.stderr


def test_virtual_environment_is_not_inside_clone() -> None:
    clones = set(re.findall(r"git clone \S+ && cd (\S+)", PAGE))
    environments = set(re.findall(r"python3 -m venv ~/(\S+)", README + PAGE))
    assert clones and environments and not clones & environments


def test_guide_states_location_of_pickle_versions() -> None:
    guide = (ROOT / "docs" / "guide" / "06-taking-it-home.md").read_text("utf-8")
    assert re.search(r"A pickle needs the versions .*\n?.*JSON file", guide)
