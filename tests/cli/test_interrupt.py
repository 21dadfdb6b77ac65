"""Ctrl-C: the best answer so far is kept, written, and told; exit code 130."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time

import numpy as np

from frugalsvm import load_model


def hard_table(tmp_path, rows):
    """Noise with a weak signal: panels are found at once, proofs take very long."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 60))
    y = np.where(X[:, :12].sum(axis=1) + 2.0 * rng.normal(size=rows) > 0, "ill", "well")
    lines = [",".join([f"x{k}" for k in range(60)] + ["y"])]
    lines += [
        ",".join([*(f"{v:.4f}" for v in row), label]) for row, label in zip(X, y, strict=True)
    ]
    path = tmp_path / "hard.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "frugalsvm.cli", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupt_after(process, word, patience):
    """Send Ctrl-C once `word` was said on stderr; return what was said, and the seconds."""
    said: list[str] = []
    heard = threading.Event()

    def listen():
        for line in process.stderr:
            said.append(line)
            if word in line:
                heard.set()

    listener = threading.Thread(target=listen)
    listener.start()
    assert heard.wait(patience), "".join(said)
    sent = time.perf_counter()
    process.send_signal(signal.SIGINT)
    out = process.stdout.read()
    process.wait(timeout=60)
    seconds = time.perf_counter() - sent
    listener.join()
    return out, "".join(said), seconds


def test_interrupted_fit_writes_its_best_answer(tmp_path):
    model_path = tmp_path / "model.json"
    with start(
        *("fit", hard_table(tmp_path, rows=240), "--target", "y", "--positive", "ill"),
        *("--min-tpr", 0.8, "--min-tnr", 0.8, "--rates", "training", "--time-limit", 300),
        *("--model", model_path, "--json"),
    ) as process:
        out, err, seconds = interrupt_after(process, "s  cost ", patience=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "Interrupted: this is the best answer" in err
    assert seconds < 60  # most of it is compilation where nothing is cached yet
    model = load_model(model_path)
    assert model.selection.stop_reason == "interrupted"
    assert model.status == "feasible"
    assert 0 <= model.bound < model.cost
    assert model.train_tpr >= 0.8
    assert model.train_tnr >= 0.8
    said = json.loads(out)
    assert said["interrupted"] is True
    assert (said["cost"], said["bound"]) == (model.cost, model.bound)


def test_interrupted_fit_for_new_data_writes_its_best_answer(tmp_path):
    """Ctrl-C while the rates to expect are estimated: the panel is there, the estimate is not."""
    model_path = tmp_path / "model.json"
    with start(
        *("fit", hard_table(tmp_path, rows=5000), "--target", "y", "--positive", "ill"),
        *("--min-tpr", 0.7, "--min-tnr", 0.7, "--kernel", "rbf", "--time-limit", 300),
        *("--model", model_path, "--json"),
    ) as process:
        out, err, _ = interrupt_after(process, "s  cost ", patience=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    said = json.loads(out)
    assert said["interrupted"] is True
    assert load_model(model_path).selection.stop_reason == "interrupted"


def test_interrupted_before_there_is_anything(tmp_path):
    """Ctrl-C while the data are read: a sentence, no traceback, nothing written."""
    code = (
        "import sys, frugalsvm.cli.fit as fit\n"
        "from frugalsvm.cli import main\n"
        "def wait(request):\n"
        "    raise KeyboardInterrupt\n"
        "fit.load_training_table = wait\n"
        "sys.argv = ['frugalsvm', 'fit', 'd.csv', '--target', 'y', '--min-tpr', '0.9',\n"
        "            '--min-tnr', '0.9', '--model', 'm.json']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert "nothing was written" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
