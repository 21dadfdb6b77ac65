"""Columns become numbers without guessing; new data are held to what training saw."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.inspection import inspect_table
from frugalsvm.tabular.preparation import Preparation
from frugalsvm.tabular.ranges import out_of_range
from frugalsvm.tabular.table import Table, column_of
from frugalsvm.tabular.variables import Kind, learn_variable


def table(**columns):
    return Table.of(column_of(n, np.array(v, dtype=object)) for n, v in columns.items())


def column(values, name="x"):
    return column_of(name, np.array(values, dtype=object))


def test_kinds_levels_and_fills():
    data = table(
        age=[3.0, None, 1.0, 2.0, 10.0],
        smoker=[True, None, True, False, True],
        colour=["white", "red", None, "blue", "red"],
    )
    learned = Preparation.learn(data, data.names)
    age, smoker, colour = learned.variables
    assert (age.kind, age.fill, age.n_missing) == (Kind.NUMERIC, 2.5, 1)
    assert (smoker.kind, smoker.fill) == (Kind.BOOLEAN, 1.0)
    assert (colour.kind, colour.fill) == (Kind.CATEGORICAL, "red")
    assert colour.levels == ("blue", "red", "white")
    assert learned.coded_names == ("age", "smoker", "colour=red", "colour=white")
    assert learned.transform(data, impute=True).tolist() == [
        [3.0, 1.0, 0.0, 1.0],
        [2.5, 1.0, 1.0, 0.0],
        [1.0, 1.0, 1.0, 0.0],
        [2.0, 0.0, 0.0, 0.0],
        [10.0, 1.0, 1.0, 0.0],
    ]
    assert [v.name for v in learned.filled] == ["age", "smoker", "colour"]


def test_ties_for_the_most_frequent_are_broken_the_same_way():
    assert learn_variable(column(["b", "a", "c", "a", "b"])).fill == "a"
    assert learn_variable(column([True, False])).fill == 0.0


def test_selected_columns_need_only_their_variables():
    data = table(age=[1.0, 2.0], colour=["red", "blue"], size=["s", "m"])
    learned = Preparation.learn(data, data.names).select(["colour=red"])
    assert learned.raw_names == ("colour",)
    assert learned.transform(table(colour=["blue", "red"])).tolist() == [[0.0], [1.0]]


def test_codes_as_levels():
    data = table(grade=[1, 2, 10, 2])
    learned = Preparation.learn(data, ["grade"], categorical=["grade"])
    assert learned.variables[0].levels == ("1", "10", "2")
    assert learned.transform(table(grade=["10", "1"])).tolist() == [[1.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([None, None], "no value in any row: leave it out with --exclude x"),
        (["1", "2", "many"], "mixes numbers .2. and text .1., the first of it 'many' in row 3"),
        (["1,5", "2,25", "3"], "row 1: '1,5' looks like a number with a decimal comma.*--decimal"),
        (["721,88", "1.234,5"], "row 2: '1.234,5' .* thousands .* decimal comma.*--decimal ','"),
        (["1.234", "900"], "row 1: '1.234' looks like a number with thousands separators"),
        (["1,234", "12,500", "7"], "row 1: '1,234' looks like .* thousands .*--decimal ','"),
        (["1 234,50", "7"], "row 1: '1 234,50' looks like a number with thousands separators"),
        (["1,234.5", "1.234,5"], "written in several ways, .* '1,234.5' in row 1"),
        (["5,6", "6,1", "k.A."], "mixes numbers .2. and text .1., the first of it 'k.A.' in row 3"),
        (["1,234.50", "7", "n/k"], "mixes numbers .2. and text .1., the first of it 'n/k' in row"),
        (["900", "1 234"], "row 2: '1 234' looks like a number with thousands separators"),
        (["1", "2", None], "numbers that are stored as text.*--categorical x"),
        (["2020-01-31", "2021-12-01"], "dates or times"),
        (["31.12.2020", "1.1.21"], "dates or times"),
        (["2020-01-31T10:00", "2021-12-01 11:00"], "dates or times"),
        (list(np.array(["2020-01-31", "2021-01-01"], "M8[D]").tolist()), "dates or times"),
        ([(1, 2), [3]], "mixed values"),
        (["a", 1.0], "mixed values"),
        ([1.0, np.inf], "row 2: the number is infinite"),
        ([f"P{k}" for k in range(101)], "101 different texts in 101 rows.*--max-levels 101"),
    ],
)
def test_unclear_columns_are_refused(values, message):
    content = np.empty(len(values), dtype=object)
    content[:] = values
    with pytest.raises(DataError, match=message):
        learn_variable(column_of("x", content))


def test_a_decimal_comma_is_not_advised_where_a_point_follows_the_comma():
    content = np.array(["1,234.50", "17,315.61", "900.00"], dtype=object)
    with pytest.raises(DataError, match=r"row 1: '1,234\.50' .* thousands separators") as refused:
        learn_variable(column_of("x", content))
    assert "--decimal" not in str(refused.value)


def test_large_numbers_out_of_range_are_told_in_full():
    """1.23457e+06 was "outside the range seen in training, 7 to 1.23457e+06"."""
    learned = Preparation.learn(table(x=[7.0, 1234567.25]), ["x"])
    (finding,) = out_of_range(learned.variables, table(x=[1234567.75, 1234567.75, 8.0]))
    assert "row 1 (and 1 more row): 1234567.75 is outside" in str(finding)
    assert "7 to 1234567.25" in str(finding)


def test_gaps_of_truth_values_are_filled_with_words():
    flags = table(flag=[True, True, None, False])
    learned = Preparation.learn(flags, ["flag"])
    assert learned.variables[0].filling == ("most frequent value", "true")
    with pytest.raises(DataError, match=r"most frequent value \(true\) instead"):
        learned.transform(flags)


def test_coded_names_must_not_collide():
    data = Table.of([column(["a", "b"], "x"), column([1.0, 2.0], "x=b")])
    with pytest.raises(DataError, match="more than one column called 'x=b'"):
        Preparation.learn(data, data.names)


def test_a_single_level_makes_no_column():
    data = table(x=["a", "a"], z=[1.0, 2.0])
    assert Preparation.learn(data, data.names).coded_names == ("z",)


def test_inspection_finds_what_is_odd():
    n = 30
    rng = np.random.default_rng(0)
    label = ["ill" if k % 2 else "well" for k in range(n)]
    data = table(
        id=list(range(1000, 1000 + n)),
        same=[7.0] * n,
        gaps=[1.0, 2.0] + [None] * (n - 2),
        rare=["x"] + ["y", "z"] * ((n - 2) // 2) + ["z"],
        twin_a=rng.normal(size=n).tolist(),
        leak=[1.0 if text == "ill" else 0.0 for text in label],
        day=["2020-01-01"] * n,
        label=label,
    )
    data = Table.of([*data.columns.values(), column_of("twin_b", data["twin_a"].values)])
    found = inspect_table(data, "label")
    text = "\n".join(found.warnings)
    assert "'id' numbers the rows" in text
    assert "'same' has the same value" in text
    assert "'gaps' is missing in 93 %" in text
    assert "'rare' has 1 level with one row only, such as 'x'" in text
    assert "'twin_b' repeats column 'twin_a'" in text
    assert "'leak' alone tells the class" in text
    assert "'twin_a' alone" not in text
    assert found.classes == (("ill", 15), ("well", 15))
    assert len(found.problems) == 1
    assert "'day' holds dates" in found.problems[0]


def test_few_whole_numbers_may_be_codes():
    data = table(code=[1, 2, 3] * 5, flag=[0, 1, 0] * 5, amount=[0.5, 1.5, 2.5] * 5)
    assert [w for w in inspect_table(data).warnings if "codes" in w] == [
        "Column 'code' has 3 different whole numbers: if they are codes and not amounts, say "
        "--categorical code."
    ]
    assert inspect_table(data, categorical=["code"]).warnings == ()


def test_inspection_of_targets():
    x = [1.0, 2.0, 3.0]
    assert "two classes" in inspect_table(table(x=x, y=["a"] * 3), "y").problems[0]
    assert "missing in 1 rows" in inspect_table(table(x=x, y=["a", "b", None]), "y").problems[0]
    assert "3 classes" in inspect_table(table(x=x, y=["a", "b", "c"]), "y").warnings[0]
    assert "has 1 rows only" in inspect_table(table(x=x, y=["a", "b", "a"]), "y").warnings[0]
