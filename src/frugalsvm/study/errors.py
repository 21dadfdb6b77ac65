"""What the study raises on purpose."""

from __future__ import annotations

from frugalsvm.data.exceptions import FrugalSVMError


class StudyError(FrugalSVMError, RuntimeError):
    """The study cannot go on; the message says why and what to do."""


class DatasetError(StudyError):
    """A data set cannot be had, or what was found is not the data set of the paper."""


class StoreError(StudyError):
    """The store of results cannot be read or written."""
