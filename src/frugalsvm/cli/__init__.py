"""The command line: ``frugalsvm fit``, ``predict``, ``frontier``, ``check``, ``show`` and more."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the ``frugalsvm`` command."""
    try:
        from frugalsvm.cli.app import run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("frugalsvm"):
            raise
        sys.stderr.write(
            f"The frugalsvm command needs the package {error.name!r}. "
            "Install it with: pip install 'frugalsvm[cli,report]'\n"
        )
        sys.exit(2)
    sys.exit(run())
