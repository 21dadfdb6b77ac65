"""Model files: plain JSON, written whole, read without trust."""

from frugalsvm.data.exceptions import ModelFileError
from frugalsvm.saved.modelfile.loading import load_model
from frugalsvm.saved.modelfile.saving import model_of, save, save_model

__all__ = ["ModelFileError", "load_model", "model_of", "save", "save_model"]
