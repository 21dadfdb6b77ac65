"""Model files: exact round trips, and a clear error for everything that is wrong with one."""

from __future__ import annotations

import copy
import json
import os
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from frugalsvm import FrugalSVC, FrugalSVCCV
from frugalsvm.data.exceptions import DataError, ModelFileError
from frugalsvm.inputs.fingerprint import data_hash
from frugalsvm.runtime.files import write_whole
from frugalsvm.saved.model import FrugalModel
from frugalsvm.saved.modelfile import load_model, save
from frugalsvm.saved.modelfile.decoding import decode
from frugalsvm.saved.modelfile.encoding import encode
from frugalsvm.saved.modelfile.strict_json import MAX_DEPTH, parse
from model_examples import example_model, example_rows

LATER = ("low", "high")
"""Fields that files of the first schema do not have."""
KERNELS = ["linear", "rbf", "poly", "sigmoid", "laplacian"]


@pytest.fixture
def document():
    return json.loads(json.dumps(encode(example_model("rbf"))))


def paths_of(value, path=()):
    """Every place in a document."""
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    else:
        entries = []
    yield path
    for key, entry in entries:
        yield from paths_of(entry, (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def changed(document, path, value):
    if not path:
        return value
    copied = copy.deepcopy(document)
    at(copied, path[:-1])[path[-1]] = value
    return copied


def load_text(folder, text):
    path = folder / "model.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return load_model(path)


@pytest.mark.parametrize("kernel", KERNELS)
def test_round_trip_keeps_every_bit(kernel):
    model = example_model(kernel)
    again = decode(parse(json.dumps(encode(model)).encode()))
    frame = pd.DataFrame(example_rows())
    assert encode(again) == encode(model)
    assert again.decision_function(frame).tobytes() == model.decision_function(frame).tobytes()
    assert again.targets == model.targets
    assert again.panel == model.panel


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("pos_label", ["ill", "well"])
@pytest.mark.filterwarnings("ignore::frugalsvm.OutOfRangeWarning")
def test_saved_estimator_decides_alike_to_the_last_bit(tmp_path, kernel, pos_label):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 4)) * [1, 1e3, 1e-3, 7], columns=["a", "b", "c", "d"])
    y = np.where(X["b"] / 1e3 + 0.3 * rng.normal(size=60) > 0, "ill", "well")
    estimator = FrugalSVC(
        0.85,
        0.85,
        kernel=kernel,
        pos_label=pos_label,
        feature_costs={"a": 1.5, "b": 0.1, "c": 1, "d": 1},
        feature_groups={"a": "lab", "b": ("lab", 7)},
        group_costs={"lab": 0.25, 7: 0.5},
        time_limit=20,
    ).fit(X, y)
    path = tmp_path / "model.json"
    estimator.save(path)
    model = load_model(path)
    panel = list(estimator.get_feature_names_out())
    assert list(model.preparation.raw_names) == panel
    new = pd.DataFrame(rng.normal(size=(500, 4)) * [1, 1e3, 1e-3, 7], columns=X.columns)
    for rows in (X, new):
        expected = estimator.decision_function(rows)
        for given_rows in (rows, rows[panel], rows[panel].to_numpy(), pl.from_pandas(rows)):
            assert model.decision_function(given_rows).tobytes() == expected.tobytes()
        assert (model.predict(rows) == estimator.predict(rows)).all()
    assert model.cost == estimator.cost_
    assert model.bound == estimator.bound_
    assert model.positive_label == pos_label
    assert model.train_tpr == estimator.train_tpr_
    assert model.origin.n_positive == (y == pos_label).sum()
    assert model.origin.sha256 == data_hash(X.to_numpy(), y)


def test_files_of_the_first_schema_are_read():
    document = encode(example_model())
    del document["unseen"]
    document["schema_version"] = 1
    assert decode(parse(json.dumps(document).encode())).unseen is None


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_model_for_new_data_keeps_threshold_and_certificate(tmp_path, kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + 0.2 * rng.normal(size=300) > 0
    estimator = FrugalSVCCV(0.7, 0.7, kernel=kernel, test_size=0.4, n_repeats=1, pos_label=False)
    estimator.fit(X, y).save(tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    panel = X[:, estimator.get_support()]
    assert model.decision_function(panel).tobytes() == estimator.decision_function(X).tobytes()
    assert model.unseen.threshold == estimator.threshold_
    assert model.unseen.expected.tpr == estimator.cv_tpr_
    assert model.unseen.held_out.certified == estimator.certificate_.certified
    assert model.unseen.held_out.rows == tuple(estimator.held_out_)
    assert model.bound == 0


def test_other_classifiers_than_svms_are_not_written(tmp_path):
    X = np.linspace(-1, 1, 200).reshape(-1, 1)
    y = X[:, 0] > 0
    estimator = FrugalSVCCV(estimator=LogisticRegression(), n_repeats=1).fit(X, y)
    with pytest.raises(ModelFileError, match="holds a Support Vector Machine"):
        estimator.save(tmp_path / "m.json")


def test_a_model_introduces_itself():
    assert repr(example_model()) == (
        "FrugalModel(measure=['age', 'smoker', 'colour'], cost=7.2, bound=5, status='feasible', "
        "min_tpr=0.95, min_tnr=0.9, kernel='linear')"
    )


@pytest.mark.parametrize("labels", [(0, 1), (-1.0, 2.0), (False, True), ("a", "b")])
def test_labels_keep_their_type(tmp_path, labels):
    X = np.linspace(-1, 1, 20).reshape(-1, 1)
    y = np.array(labels)[(X[:, 0] > 0).astype(int)]
    FrugalSVC(time_limit=10).fit(X, y).save(tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert model.classes == labels
    assert (model.predict(X) == y).all()


def test_empty_panel(tmp_path):
    X = np.linspace(-1, 1, 20).reshape(-1, 1)
    y = (X[:, 0] > 0).astype(int)
    estimator = FrugalSVC(1.0, 0.0, time_limit=10).fit(X, y)
    assert estimator.cost_ == 0
    estimator.save(tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert model.preparation.raw_names == ()
    assert (model.predict(pd.DataFrame(X)) == estimator.predict(X)).all()


def test_callable_kernel_is_refused_and_nothing_written(tmp_path):
    X = np.linspace(-1, 1, 20).reshape(-1, 1)
    y = (X[:, 0] > 0).astype(int)
    estimator = FrugalSVC(kernel=lambda A, B: A @ B.T, time_limit=10).fit(X, y)
    with pytest.raises(ModelFileError, match="callable"):
        estimator.save(tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []


def test_unfitted_estimator_cannot_be_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        save(FrugalSVC(), tmp_path / "m.json")


def test_predict_names_what_is_wrong():
    model = example_model()
    rows = example_rows()
    with pytest.raises(DataError, match="lacks the column 'colour'"):
        model.predict(pd.DataFrame(rows).drop(columns="colour"))
    with pytest.raises(DataError, match=r"'colour', row 2: the level 'green' was not there"):
        model.predict(pd.DataFrame(rows | {"colour": ["blue", "green", "red", "red"]}))
    with pytest.raises(DataError, match=r"'age', row 3: the value is missing.*median \(54.9\)"):
        model.predict(pd.DataFrame(rows | {"age": [1.0, 2.0, None, 3.0]}))
    with pytest.raises(DataError, match=r"'age', row 2: 'old' is not a number"):
        model.predict(pd.DataFrame(rows | {"age": ["1", "old", "3", "4"]}))
    with pytest.raises(DataError, match=r"'age', row 1: the number is infinite"):
        model.predict(pd.DataFrame(rows | {"age": [np.inf, 1, 2, 3]}))
    with pytest.raises(DataError, match=r"'smoker', row 4: must be true or false"):
        model.predict(pd.DataFrame(rows | {"smoker": [0, 1, 1, 2]}))
    twice = pd.concat([pd.DataFrame(rows), pd.DataFrame(rows)[["age"]]], axis=1)
    with pytest.raises(DataError, match="more than one column called 'age'"):
        model.predict(twice)
    with pytest.raises(DataError, match="3 columns"):
        model.predict(np.zeros((2, 4)))
    with pytest.raises(DataError, match="Row 1: its numbers are too large"):
        example_model("poly").predict(pd.DataFrame(rows | {"age": [1e300, 1, 1, 1]}))


def test_imputation_uses_what_training_learned():
    model = example_model()
    rows = pd.DataFrame(example_rows())
    gaps = rows.astype({"age": object, "colour": object, "smoker": object})
    gaps.loc[0, "age"] = None
    gaps.loc[1, "colour"] = None
    gaps.loc[2, "smoker"] = None
    filled = rows.copy()
    filled.loc[0, "age"] = 54.9
    filled.loc[1, "colour"] = "red"
    expected = model.decision_function(filled)
    assert (model.decision_function(gaps, impute=True) == expected).all()


# Damaged and hostile files.


def test_every_field_is_checked(tmp_path, document):
    """Put an object where it cannot be, or take a field away: always a ModelFileError."""
    paths = [path for path in paths_of(document) if path[-2:-1] != ("missing_markers",)]
    assert len(paths) > 150
    for path in paths:
        with pytest.raises(ModelFileError) as caught:
            load_text(tmp_path, json.dumps(changed(document, path, {"evil": 1})))
        assert str(tmp_path / "model.json") in str(caught.value)
        if path and isinstance(path[-1], str):
            shorter = copy.deepcopy(document)
            del at(shorter, path[:-1])[path[-1]]
            optional = path[:-1] == ("origin", "versions") or path[-1] in LATER
            if not optional:
                with pytest.raises(ModelFileError, match=r"lacks the field|does not say|whole"):
                    load_text(tmp_path, json.dumps(shorter))
            longer = copy.deepcopy(document)
            at(longer, path[:-1])["extra"] = 1
            with pytest.raises(ModelFileError):
                load_text(tmp_path, json.dumps(longer))


def test_numbers_that_are_none(tmp_path, document):
    numbers = [
        path
        for path in paths_of(document)
        if isinstance(at(document, path), float | int) and not isinstance(at(document, path), bool)
    ]
    assert len(numbers) > 50
    for path in numbers:
        for token in ("NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "-" + "9" * 30, '"1"'):
            text = json.dumps(changed(document, path, "@@")).replace('"@@"', token)
            with pytest.raises(ModelFileError):
                load_text(tmp_path, text)


def test_truncated_files(tmp_path, document):
    data = json.dumps(document).encode()
    for end in range(0, len(data) - 1, max(1, len(data) // 300)):
        with pytest.raises(ModelFileError):
            load_text(tmp_path, data[:end])


HOSTILE = {
    "empty": b"",
    "not text": b"\xff\xfe\x00\x01",
    "binary": bytes(range(256)),
    "pickle": b"\x80\x04\x95\x0c\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94\x8c\x06system\x93\x94.",
    "nested lists": b"[" * 200_000,
    "nested objects": b'{"a":' * 200_000,
    "balanced nesting": b"[" * 50_000 + b"]" * 50_000,
    "nesting behind strings": b'{"format": "frugalsvm-model", "x": ' + b'["[", ' * 5_000,
    "open string": b'{"format": "' + b'\\"' * 500_000,
    "null": b"null",
    "number": b"1",
    "list": b"[]",
    "wrong format": b'{"format": "other"}',
    "format is a list": b'{"format": ["frugalsvm-model"]}',
    "no version": b'{"format": "frugalsvm-model"}',
    "version is text": b'{"format": "frugalsvm-model", "schema_version": "1"}',
    "version is true": b'{"format": "frugalsvm-model", "schema_version": true}',
    "version is 0": b'{"format": "frugalsvm-model", "schema_version": 0}',
    "duplicate keys": b'{"format": "frugalsvm-model", "format": "frugalsvm-model"}',
    "trailing text": b'{"format": "frugalsvm-model", "schema_version": 1} x',
    "comment": b'// a\n{"format": "frugalsvm-model"}',
    "byte order mark": b'\xef\xbb\xbf{"format": "frugalsvm-model"}',
    "single quotes": b"{'format': 'frugalsvm-model'}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(tmp_path, name):
    with pytest.raises(ModelFileError, match="is no usable model file"):
        load_text(tmp_path, HOSTILE[name])


def test_newer_file_says_so(tmp_path, document):
    with pytest.raises(ModelFileError, match=r"newer version .*schema 3; this one reads up to 2"):
        load_text(tmp_path, json.dumps(document | {"schema_version": 3, "new": "field"}))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("selection", "value"), 8.0, "must be the cost of the panel"),
        (("selection", "bound"), 9.0, "at most the value it bounds"),
        (("selection", "status"), "optimal", '"optimal", but its bound'),
        (("selection", "status"), "infeasible", "one of 'feasible', 'optimal'"),
        (("classifier", "scale", 1), 0.0, "numbers > 0"),
        (("classifier", "sign"), 1.0, "must fit 'positive_class'"),
        (("classifier", "sign"), 0.5, "1 or -1"),
        (("classifier", "kernel"), "os.system", "'classifier.kernel' must be one of"),
        (("classifier", "kernel"), "linear", "must be empty for the linear kernel"),
        (("classifier", "dual"), [1.0], "'classifier.dual' must have 7 entries. Got 1"),
        (("classifier", "center"), [1.0], "must have 4 entries"),
        (("classifier", "constant"), [True], "must have 4 entries"),
        (("classifier", "vectors", 2), [1.0], r"'classifier.vectors\[2\]' must have 4 entries"),
        (("classifier", "gamma"), -1.0, "'classifier.gamma' must be a number >= 0"),
        (("positive_class",), 2, "whole number from 0 to 1"),
        (("classes",), ["ill"], "two labels"),
        (("classes",), ["well", "ill"], "ascending"),
        (("classes",), ["ill", 1], "one type"),
        (("classes",), ["ill", "ill"], "ascending"),
        (("panel", "features", 0, "variable"), "weight", "not a column of a variable"),
        (("panel", "features", 2, "level"), "blue", "not a column of a variable"),
        (("panel", "features", 0, "name"), "colour=red", "not a column of a variable"),
        (("panel", "features", 0, "cost"), -1, r"'panel.features\[0\].cost' must be a number >= 0"),
        (("panel", "features", 1, "groups"), ["urine"], "groups that its features name"),
        (("panel", "groups"), [], "groups that its features name"),
        (("panel", "n_candidates"), 3, "at least the number of its features"),
        (("preparation", "variables", 2, "levels"), ["red", "blue"], "alphabetical order"),
        (("preparation", "variables", 2, "levels"), [], "alphabetical order"),
        (("preparation", "variables", 0, "levels"), ["x"], "for a categorical variable only"),
        (("preparation", "variables", 2, "fill"), "green", "one of 'blue'"),
        (("preparation", "variables", 1, "fill"), 0.5, "must be 0 or 1"),
        (("preparation", "variables", 0, "kind"), "date", "one of 'boolean'"),
        (("preparation", "variables", 0, "name"), "a\ud800", "Unicode"),
        (("preparation", "variables", 0, "name"), "x" * 20_000, "at most 10000 characters"),
        (("targets", "min_tpr"), 1.5, "'targets.min_tpr' must be a number >= 0 and <= 1"),
        (("targets", "correction"), "magic", "one of 'hoeffding'"),
        (("targets", "alpha"), 0, "between 0 and 1"),
        (("origin", "sha256"), "../../etc/passwd", "64 hexadecimal digits"),
        (("origin", "n_positive"), 0, "whole number from 1"),
        (("origin", "sha256"), "A" * 64, "64 hexadecimal digits"),
        (("training_rates", "tpr"), 1.01, "'training_rates.tpr'"),
        (("training", "stop_reason"), "bored", "'training.stop_reason' must be one of"),
    ],
)
def test_contradictions_are_named(tmp_path, document, path, value, message):
    with pytest.raises(ModelFileError, match=message):
        load_text(tmp_path, json.dumps(changed(document, path, value)))


def test_errors_are_short(tmp_path, document):
    with pytest.raises(ModelFileError) as caught:
        load_text(tmp_path, json.dumps(changed(document, ("classes",), ["x" * 10**6] * 3)))
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("name", ["", ".", "no/such/folder/m.json", "a\0b", "x" * 5000])
def test_paths_that_are_no_files(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelFileError, match="is no usable model file"):
        load_model(name)


def test_devices_and_pipes_are_not_read(tmp_path):
    with pytest.raises(ModelFileError, match="not a regular file"):
        load_model("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="not a regular file"):
        load_model(tmp_path / "pipe")


def test_huge_files_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("frugalsvm.saved.modelfile.strict_json.MAX_BYTES", 1000)
    with pytest.raises(ModelFileError, match="too large for a model"):
        load_text(tmp_path, b" " * 1001)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_change_gives_a_model_or_a_clear_error(tmp_path, document, data):
    """Whatever is put wherever: a ModelFileError, or a model that predicts or says why not."""
    path = data.draw(st.sampled_from(list(paths_of(document))))
    text = json.dumps(changed(document, path, data.draw(JUNK)))
    check_survives(tmp_path, text.encode("utf-8", "surrogatepass"))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(place=st.floats(0, 1), byte=st.integers(0, 255), length=st.integers(0, 30))
@example(place=0.0, byte=0, length=0)
def test_any_overwritten_bytes_give_a_model_or_a_clear_error(
    tmp_path, document, place, byte, length
):
    text = bytearray(json.dumps(document).encode())
    start = int(place * (len(text) - 1))
    text[start : start + length] = bytes([byte]) * max(1, length // 2)
    check_survives(tmp_path, bytes(text))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | JUNK.map(lambda value: json.dumps(value).encode()))
def test_arbitrary_bytes_give_a_clear_error(data):
    with pytest.raises(ModelFileError):
        decode(parse(data))


def check_survives(folder, text):
    try:
        model = load_text(folder, text)
    except ModelFileError:
        return
    assert isinstance(model, FrugalModel)
    try:
        scores = model.decision_function(pd.DataFrame(example_rows()))
    except DataError:
        return
    assert np.isfinite(scores).all()


def test_depth_limit_leaves_room_for_real_files(document):
    depth = max(len(path) for path in paths_of(document))
    assert depth < MAX_DEPTH


# Written whole or not at all.


def test_a_folder_that_is_not_there_is_named_and_no_temporary_file(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"no/m\.json cannot be written: .* folder .*/no\.$"
    ):
        write_whole(tmp_path / "no" / "m.json", "text")


def test_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    write_whole(path, "old")

    def full_disk(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def test_written_file_keeps_permissions_and_links(tmp_path):
    path = tmp_path / "model.json"
    write_whole(path, "old")
    path.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_file_is_readable_by_people(tmp_path):
    X = np.linspace(-1, 1, 20).reshape(-1, 1)
    y = (X[:, 0] > 0).astype(int)
    FrugalSVC(kernel="rbf", time_limit=10).fit(X, y).save(tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    assert text.endswith("}\n")
    assert re.search(r'"center": \[-?[\d.e-]+\]', text)
