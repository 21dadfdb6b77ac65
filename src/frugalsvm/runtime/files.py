"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path | str, content: str | bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never a part.

    The content goes into a temporary file beside `path`, is flushed to the disk, and is then
    renamed. If anything fails, the temporary file is removed and `path` is untouched.

    Parameters
    ----------
    path : path-like
        Where to write; an existing file is replaced and keeps its permissions.
    content : str or bytes
        What to write; text is encoded as UTF-8, line ends as they are.

    Raises
    ------
    FileNotFoundError
        Names the folder that is not there.
    """
    target = Path(path)
    if target.is_symlink():
        target = target.resolve()
    if not target.parent.is_dir():  # or the error would name the temporary file
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {target.parent}.")
    data = content.encode("utf-8") if isinstance(content, str) else content
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_permissions(target))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def _permissions(target: Path) -> int:
    """Return the mode of the file that is replaced, or of a new one under the user's umask."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _flush_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
