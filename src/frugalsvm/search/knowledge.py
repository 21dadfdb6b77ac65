"""What one search leaves for the next."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Knowledge:
    """Supports worth trying, from earlier searches."""

    supports: tuple[tuple[int, ...], ...] = ()
