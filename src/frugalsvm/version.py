"""The version of this package, read once."""

from __future__ import annotations

from importlib.metadata import version

VERSION = version("frugalsvm")
