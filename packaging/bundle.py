#!/usr/bin/env python3
"""Make what people download."""

import sys

from bundle import freezing


def main() -> int:
    freezing.make_environment()
    freezing.freeze()
    return 0


if __name__ == "__main__":
    sys.exit(main())
