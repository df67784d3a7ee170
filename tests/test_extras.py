"""Installation commands for optional libraries, for the pip of this interpreter."""

import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from studio import extras as module


def test_extras_match_pyproject_and_install_names() -> None:
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    declared_extras = tomllib.loads(text)["project"]["optional-dependencies"]
    del declared_extras["dev"]
    assert {name: list(libraries) for name, libraries in module.EXTRAS.items()} == declared_extras
    command = module.make_install_command("optuna", "skops", "optuna")
    assert shlex.split(command)[1:] == ["-m", "pip", "install", "optuna>=5,<6", "skops>=0.13"]
    assert shlex.split(command)[0] == sys.executable


def test_libraries_are_listed_without_versions() -> None:
    assert module.list_libraries("catboost") == ("catboost",)


def test_interpreter_path_with_blank_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "C:/Program Files/python")
    command = module.make_install_command("skops")
    assert command.startswith('"C:/Program Files/python" ')


def test_modules_do_not_mention_extras_of_program() -> None:
    folder = Path(module.__file__).parent
    assert not [each for each in folder.rglob("*.py") if "ensemble-studio[" in each.read_text()]
