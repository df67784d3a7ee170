"""Documents of older versions, packed in ``old/``.

Their names begin with the version of their format: ``1a`` is of the first window, ``1b`` of the
last program of version 1. ``classes`` has one run that finished, ``numbers`` a second one that was
stopped after 4 of 10 trials, ``study`` a comparison of two methods on two tables, twice each. They
were made with the commands of those versions: ``studio run`` with one worker, ``studio compare``.
"""

import gzip
from pathlib import Path

_FOLDER = Path(__file__).parent / "old"
_SUFFIX = ".studio.gz"

VERSIONS = ("1a", "1b", "2", "3")


def unpack(name: str, folder: Path) -> Path:
    """Unpack a document of an older version into a folder; return its path."""
    path = folder / f"{name}.studio"
    path.write_bytes(gzip.decompress((_FOLDER / f"{name}{_SUFFIX}").read_bytes()))
    return path
