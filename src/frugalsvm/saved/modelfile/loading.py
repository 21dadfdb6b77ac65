"""From a model file to a model that predicts."""

from __future__ import annotations

from pathlib import Path

from frugalsvm.data.exceptions import ModelFileError
from frugalsvm.saved.model import FrugalModel
from frugalsvm.saved.modelfile.decoding import decode
from frugalsvm.saved.modelfile.strict_json import parse_file


def load_model(path: str | Path) -> FrugalModel:
    """Load a model written by :meth:`frugalsvm.FrugalSVC.save` or ``frugalsvm fit``.

    Loading runs no code from the file and trusts nothing in it.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    FrugalModel
        Predicts from the panel's raw columns alone; its decision values are those of the
        estimator, to the last bit.

    Raises
    ------
    ModelFileError
        If the file is damaged, inconsistent, or written by a newer version; says where.
    """
    try:
        return decode(parse_file(Path(path)))
    except ModelFileError as error:
        raise ModelFileError(f"{path} is no usable model file. {error}") from error
