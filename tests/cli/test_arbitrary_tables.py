"""Whatever stands in a table or a price list: a result or a sentence, never a traceback."""

from __future__ import annotations

from cli_tools import frugalsvm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CELLS = st.one_of(
    st.sampled_from(
        ["", "NA", "1", "-2.5", "1,5", "1e400", "nan", "inf", "true", "a", "=1", "2020-01-01", '"']
    ),
    st.text(max_size=5),
    st.floats().map(repr),
)
DELIMITED = st.builds(
    lambda rows, delimiter: "\n".join(delimiter.join(row) for row in rows),
    st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=8),
    st.sampled_from([",", ";", "\t"]),
)
CONTENT = st.one_of(
    st.binary(max_size=80),
    DELIMITED.map(lambda text: text.encode("utf-8", "surrogatepass")),
    DELIMITED.map(lambda text: b"x,y\n" + text.encode("utf-8", "surrogatepass")),
)
FEW = settings(max_examples=40, suppress_health_check=list(HealthCheck))


@FEW
@given(content=CONTENT)
def test_check_survives_any_table(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    assert frugalsvm("check", path).code in (0, 2)
    assert frugalsvm("check", path, "--target", "y", "--json").code in (0, 2)


@FEW
@given(content=CONTENT)
def test_predict_survives_any_table(clinic, tmp_path, content):
    path = tmp_path / "new.csv"
    path.write_bytes(content.replace(b"x,y", b"age,chol,colour"))
    assert frugalsvm("predict", clinic / "model.json", path, "--impute").code in (0, 2)


@FEW
@given(content=CONTENT)
def test_price_lists_survive_anything(clinic, tmp_path, content):
    path = tmp_path / "costs.csv"
    path.write_bytes(content.replace(b"x,y", b"feature,cost"))
    assert frugalsvm("check", clinic / "data.csv", "--costs", path).code in (0, 2)
