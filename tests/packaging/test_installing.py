"""What README and the page of installing say is needed, and that their commands go together."""

import re
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
def test_the_page_of_installing_says_what_is_needed(needed: str) -> None:
    assert re.search(needed, PAGE)


def test_both_pages_give_the_same_duration_of_the_tests() -> None:
    (readme,) = re.findall(r"run all tests \((\d+) minutes; --quick: (\d+)\)", README)
    (page,) = re.findall(r"all tests: (\d+) minutes.*\(the quick ones: (\d+)\)", PAGE)
    assert readme == page


def test_an_environment_is_not_made_in_the_clone() -> None:
    clones = set(re.findall(r"git clone \S+ && cd (\S+)", PAGE))
    environments = set(re.findall(r"python3 -m venv ~/(\S+)", README + PAGE))
    assert clones and environments and not clones & environments


def test_the_guide_says_which_versions_a_pickle_needs() -> None:
    guide = (ROOT / "docs" / "guide" / "06-taking-it-home.md").read_text("utf-8")
    assert re.search(r"A pickle needs the versions .*\n?.*JSON file", guide)
