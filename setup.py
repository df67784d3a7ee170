"""The one step of the build that ``pyproject.toml`` cannot say: catalogues of other languages."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent / "packaging"))

from translations import compile_all


class BuildWithCatalogues(build_py):
    """Makes the catalogues that the program reads from those that people write."""

    def run(self) -> None:
        """Compile them, then build as ever."""
        compile_all()
        super().run()


setup(cmdclass={"build_py": BuildWithCatalogues})
