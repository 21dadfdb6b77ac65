"""Model files: plain JSON, written whole, read without trust."""

from frugalsvm.exceptions import ModelFileError
from frugalsvm.modelfile.loading import load_model
from frugalsvm.modelfile.saving import Training, model_of, save, save_model

__all__ = ["ModelFileError", "Training", "load_model", "model_of", "save", "save_model"]
