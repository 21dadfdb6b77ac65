"""``frugalsvm export``: a model in a form that other software runs."""

from __future__ import annotations

from pathlib import Path

from frugalsvm.cli.console import err
from frugalsvm.cli.exits import ExitCode
from frugalsvm.cli.options import ExportForm
from frugalsvm.cli.outputs import check_writable
from frugalsvm.runtime.files import write_whole
from frugalsvm.saved.modelfile import load_model


def run_export(model: Path, output: Path, form: ExportForm, table: str) -> ExitCode:
    """Write the model in another form; return the exit code."""
    check_writable(output)
    loaded = load_model(model)
    if form is ExportForm.SQL:
        write_whole(output, loaded.to_sql(table))
    elif form is ExportForm.ONNX:
        output.write_bytes(loaded.to_onnx())
    else:
        import joblib

        joblib.dump(loaded.to_sklearn(), output)
    err().print(f"Wrote {output}", soft_wrap=True, markup=False)
    return ExitCode.OK
