"""Reading JSON from strangers: bounded, finite, without duplicates, and checked field by field.

Parsing builds plain dicts, lists, strings and numbers; nothing in a file can name code to run.
"""

from __future__ import annotations

import json
import math
import re
import stat
from collections.abc import Collection
from pathlib import Path
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import ModelFileError

MAX_BYTES = 256 * 2**20
MAX_DEPTH = 16
MAX_DIGITS = 20
"""Whole numbers with more digits than this fit no field of a model."""

# A string (closed or running to the end of the file) is one match, so that one pass suffices.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z|\\\Z)|[\[\]{}]', re.DOTALL)


def parse_file(path: Path) -> Any:
    """Return what a JSON file holds, or raise a ModelFileError that says what is wrong."""
    return parse(_read(path))


def parse(data: bytes) -> Any:
    """Return what JSON text holds, or raise a ModelFileError.

    Examples
    --------
    >>> parse(b'{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"It is not UTF-8 text (byte {error.start}).") from error
    _check_depth(text)
    try:
        return json.loads(
            text,
            parse_float=_finite,
            parse_int=_short_int,
            parse_constant=_refuse_constant,
            object_pairs_hook=_without_duplicates,
        )
    except json.JSONDecodeError as error:
        raise ModelFileError(
            f"It is not complete JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from error


def _read(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ModelFileError("It is not a regular file.")
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise ModelFileError(f"It cannot be read: {error.strerror}.") from error
    except ValueError as error:  # a NUL in the name
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError("It cannot be read: the name is not one of a file.") from error
    if len(data) > MAX_BYTES:
        raise ModelFileError(f"It is larger than {MAX_BYTES // 2**20} MiB, too large for a model.")
    return data


def _check_depth(text: str) -> None:
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        mark = match.group()[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        if depth > MAX_DEPTH:
            raise ModelFileError(f"It is nested more than {MAX_DEPTH} deep.")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ModelFileError(f"The number {_short(text)} is too large.")
    return value


def _short_int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ModelFileError(f"The number {_short(text)} has too many digits.")
    return int(text)


def _refuse_constant(text: str) -> Never:
    raise ModelFileError(f"{text} is not a number that a model can hold.")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ModelFileError(f"The field {_short(twice)} is there twice.")
    return found


def _short(value: Any) -> str:
    shown = ascii(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


class Field:
    """A value of the file together with its place, to be read as what it has to be.

    Every method returns the value in the asked-for type, or raises a ModelFileError such as
    "'panel[2].cost' must be a number >= 0. Got -1."
    """

    def __init__(self, value: Any, place: str = "") -> None:
        self.value = value
        self.place = place

    def refuse(self, rule: str) -> Never:
        """Raise the error that this field breaks `rule`."""
        name = f"'{self.place}'" if self.place else "The file"
        raise ModelFileError(f"{name} must be {rule}. Got {_short(self.value)}.")

    def fields(self, *keys: str, optional: Collection[str] = ()) -> tuple[Field, ...]:
        """Return the fields of an object that has exactly these keys, and the optional ones.

        An optional field that is not there comes back as one that is null.
        """
        if not isinstance(self.value, dict):
            self.refuse("an object")
        where = f"'{self.place}'" if self.place else "The file"
        for key in keys:
            if key not in self.value:
                raise ModelFileError(f"{where} lacks the field '{key}'.")
        for key in self.value:
            if key not in keys and key not in optional:
                raise ModelFileError(f"{where} has an unknown field {_short(key)}.")
        prefix = f"{self.place}." if self.place else ""
        return tuple(Field(self.value.get(key), prefix + key) for key in (*keys, *optional))

    def items(self) -> list[Field]:
        """Return the entries of a list."""
        if not isinstance(self.value, list):
            self.refuse("a list")
        return [Field(entry, f"{self.place}[{k}]") for k, entry in enumerate(self.value)]

    def mapping(self) -> dict[str, Field]:
        """Return the fields of an object with any keys."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return {key: Field(entry, f"{self.place}.{key}") for key, entry in self.value.items()}

    def text(self, most: int = 10_000) -> str:
        """Return a text that can be encoded and is not too long."""
        if not isinstance(self.value, str) or len(self.value) > most:
            self.refuse(f"a text of at most {most} characters")
        if any("\ud800" <= letter <= "\udfff" for letter in self.value):
            self.refuse("a text of Unicode characters")
        return self.value

    def choice(self, choices: Collection[str]) -> str:
        """Return one of some texts."""
        if not isinstance(self.value, str) or self.value not in choices:
            self.refuse("one of " + ", ".join(repr(choice) for choice in sorted(choices)))
        return self.value

    def flag(self) -> bool:
        """Return a truth value."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def count(self, least: int = 0, most: int = 2**53) -> int:
        """Return a whole number in a range."""
        if type(self.value) is not int or not least <= self.value <= most:
            self.refuse(f"a whole number from {least} to {most}")
        return self.value

    def number(self, least: float = -math.inf, most: float = math.inf) -> float:
        """Return a finite number in a range."""
        if type(self.value) not in (int, float) or not least <= self.value <= most:
            low = "" if math.isinf(least) else f" >= {least:g}"
            high = "" if math.isinf(most) else f"{' and' if low else ''} <= {most:g}"
            self.refuse(f"a number{low}{high}")
        return float(self.value)

    def vector(self, length: int | None = None) -> NDArray[np.float64]:
        """Return a list of numbers, of the given length if there is one."""
        entries = self.items()
        if length is not None and len(entries) != length:
            raise ModelFileError(f"'{self.place}' must have {length} entries. Got {len(entries)}.")
        return np.array([entry.number() for entry in entries], dtype=np.float64)

    def matrix(self, width: int) -> NDArray[np.float64]:
        """Return a list of lists of numbers, each of length `width`."""
        rows = [entry.vector(width) for entry in self.items()]
        return np.array(rows, dtype=np.float64).reshape(len(rows), width)

    @property
    def absent(self) -> bool:
        """True for null."""
        return self.value is None
