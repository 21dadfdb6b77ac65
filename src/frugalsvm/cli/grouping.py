"""Options in groups: a command takes a dataclass, the user sees its fields as options."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

KEYWORD = inspect.Parameter.KEYWORD_ONLY


def spread(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with every dataclass parameter replaced by the dataclass' fields.

    Typer reads a command's options off its signature. So that commands can share groups of
    options, a parameter annotated with a dataclass stands for one option a field; the dataclass
    is built when the command is called.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Size:
    ...     width: int
    ...     height: int = 2
    >>> @spread
    ... def area(size: Size, *, times: int = 1) -> int:
    ...     return size.width * size.height * times
    >>> str(inspect.signature(area))
    '(*, width: int, height: int = 2, times: int = 1) -> int'
    >>> area(width=3, times=2)
    12
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {
        n: hint for n, hint in hints.items() if dataclasses.is_dataclass(hint)
    }
    members = {name: [f.name for f in dataclasses.fields(group)] for name, group in groups.items()}

    @functools.wraps(function)
    def spread_function(**given: Any) -> Any:
        built = {
            name: group(**{key: given.pop(key) for key in members[name] if key in given})
            for name, group in groups.items()
        }
        return function(**built, **given)

    spread_function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # read by typer
        [
            p
            for own in inspect.signature(function).parameters.values()
            for p in _options(own, hints)
        ],
        return_annotation=hints.get("return", inspect.Signature.empty),
    )
    return spread_function


def _options(parameter: inspect.Parameter, hints: dict[str, Any]) -> list[inspect.Parameter]:
    hint = hints[parameter.name]
    if not dataclasses.is_dataclass(hint):
        return [parameter.replace(kind=KEYWORD, annotation=hint)]
    kinds = get_type_hints(hint, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            KEYWORD,
            default=inspect.Parameter.empty
            if field.default is dataclasses.MISSING
            else field.default,
            annotation=kinds[field.name],
        )
        for field in dataclasses.fields(hint)
    ]
