"""Price lists: read strictly, with line numbers; variables and groups paid once."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.exceptions import DataError
from frugalsvm.inputs.prices import FeatureTable, PriceInputs
from frugalsvm.tabular.dialect import Dialect
from frugalsvm.tabular.preparation import Preparation, coded_columns
from frugalsvm.tabular.price_file import read_price_list
from frugalsvm.tabular.price_list import Price, PriceList, price_columns
from frugalsvm.tabular.variables import Kind, Variable


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "costs.csv"
        path.write_bytes(text.encode())
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [
        "feature,cost,group,group_cost\nchol,7.27,blood,2.10\nglu,7.27,blood,\nage,0,,\n",
        "feature;cost;group;group_cost\nchol;7.27;blood;2.10\nglu;7.27;blood;2.1\nage;0;;\n",
        "\ufeffcost,feature,group_cost,group,note\r\n7.27,chol,,blood,x\r\n"
        "7.27, glu ,2.10,blood,\r\n\r\n0,age,,,free\r\n",
    ],
)
def test_a_blood_test_paid_once(write, text):
    prices = read_price_list(write(text))
    assert prices.prices == {
        "chol": Price(7.27, ("blood",)),
        "glu": Price(7.27, ("blood",)),
        "age": Price(0.0),
    }
    assert prices.group_costs == {"blood": 2.1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("feature,price\na,1\n", "must have the columns 'feature' and 'cost'"),
        ("feature,cost,gruop\na,1,x\n", "may have 'group', 'group_cost'"),
        ("feature,cost\n", "no prices"),
        ("feature,cost\na,1\nb,-1\n", "line 3: 'cost' must be a number >= 0. Got '-1'"),
        ("feature,cost\na,\n", "line 2: 'cost' must be a number >= 0. Got ''"),
        ("feature,cost\na,nan\n", "line 2: 'cost'"),
        ("feature,cost\na,inf\n", "line 2: 'cost'"),
        ("feature,cost\na,1e999\n", "line 2: 'cost'"),
        ("feature,cost\na,1_0\n", "line 2: 'cost'"),
        ("feature;cost\na;1,5\n", "write decimals with a point"),
        ("feature,cost\n,1\n", "line 2: 'feature' is empty"),
        ("feature,cost\na,1\nb,2\na,1\n", "line 4: 'a' has a price already"),
        ("feature,cost\na,1,2\n", "line 2: 3 cells where the header has 2"),
        ("feature,cost,group\na,1,x\n", "the group 'x' needs a 'group_cost'"),
        ("feature,cost,group,group_cost\na,1,,5\n", "line 2: 'group_cost' is 5 but 'group' is em"),
        (
            "feature,cost,group,group_cost\na,1,x,5\nb,1,x,\nc,1,x,6\n",
            "line 4: 'group_cost' of 'x' is 6, but line 2 says 5",
        ),
        ("feature,cost,group,group_cost\na,1,x;y,5\n", "names 2 groups, 'x', 'y', and"),
        ('feature,cost\na,"1,234.50"\n', "thousands separators: write it without them"),
        ("feature,cost\na,EUR 5\n", "Got 'EUR 5': write the number alone"),
        ("feature;cost\na;1.234,50\n", "thousands separators: write it without them"),
        ("feature;cost\na;12 500\n", "thousands separators: write it without them"),
        ("feature,cost,group,group_cost\na,1,x,-5\n", "line 2: 'group_cost' must be"),
    ],
)
def test_mistakes_are_named_by_line(write, text, message):
    with pytest.raises(DataError, match=message):
        read_price_list(write(text))


def test_every_variable_needs_a_price_and_every_price_a_variable():
    prices = PriceList({"a": Price(1.0, ("g",)), "old": Price(2.0, ("h",))}, {"g": 5.0, "h": 6.0})
    with pytest.raises(DataError, match="names 'old', which the table does not have"):
        prices.complete(["a", "b"], {"a", "b"}, None)
    with pytest.raises(
        DataError, match=r"Add it .0 if free., leave it out .--exclude b., or .*-cost"
    ):
        prices.complete(["a", "b"], {"a", "b", "old"}, None)
    full = prices.complete(["a", "b"], {"a", "b", "old"}, 0.5)
    assert full.prices == {"a": Price(1.0, ("g",)), "b": Price(0.5)}
    assert full.group_costs == {"g": 5.0}


def test_coded_prices_are_what_the_panel_costs():
    """A categorical variable in a priced group: its levels pay for it once, and for the group."""
    variables = (
        Variable("age", Kind.NUMERIC),
        Variable("chol", Kind.NUMERIC),
        Variable("colour", Kind.CATEGORICAL, ("blue", "red", "white")),
        Variable("sex", Kind.CATEGORICAL, ("f", "m")),
        Variable("constant", Kind.CATEGORICAL, ("only",)),
    )
    preparation = Preparation(variables, tuple(c for v in variables for c in coded_columns(v)))
    prices = PriceList(
        {
            "age": Price(0.0),
            "chol": Price(7.27, ("blood",)),
            "colour": Price(3.0, ("blood",)),
            "sex": Price(0.5, ("chart",)),
            "constant": Price(1.0, ("unused",)),
        },
        {"blood": 2.1, "chart": 0.25, "unused": 9.0},
    )
    coded = price_columns(prices, preparation)
    assert coded.own_groups == {"variable: colour": "colour"}
    names = preparation.coded_names
    assert names == ("age", "chol", "colour=red", "colour=white", "sex=m")
    model = PriceInputs(
        np.array(coded.feature_costs), list(coded.feature_groups), coded.group_costs
    ).resolve(FeatureTable(names, "test"))
    assert model.cost([0]) == 0
    assert model.cost([1]) == pytest.approx(9.37)
    assert model.cost([2]) == model.cost([2, 3]) == pytest.approx(5.1)
    assert model.cost([1, 2, 3]) == pytest.approx(12.37)
    assert model.cost([4]) == 0.75


def test_own_groups_do_not_collide_with_given_ones():
    colour = Variable("colour", Kind.CATEGORICAL, ("a", "b", "c"))
    preparation = Preparation((colour,), coded_columns(colour))
    name = "variable: colour"
    coded = price_columns(PriceList({"colour": Price(3.0, (name,))}, {name: 2.0}), preparation)
    assert sorted(coded.group_costs.values()) == [2.0, 3.0]


def test_group_costs_that_a_spreadsheet_computed_are_one_cost(write):
    """2.1 in one row and 2.0999999999999996 in another were refused as two costs."""
    lines = ["feature,cost,group,group_cost", "a,1,A,2.0999999999999996", "b,1,A,2.1", "c,1,A,"]
    assert read_price_list(write("\n".join(lines))).group_costs == {"A": 2.1}
    lines[2] = "b,1,A,2.1001"
    with pytest.raises(DataError, match=r"is 2\.1001, but line 2 says 2\.0999999999999996"):
        read_price_list(write("\n".join(lines)))


def test_a_feature_of_several_groups(write):
    text = "feature,cost,group,group_cost\nratio,0,lab;scan,2;50\nchol,1,lab,\nct,3,scan,\n"
    prices = read_price_list(write(text))
    assert prices.prices["ratio"] == Price(0.0, ("lab", "scan"))
    assert prices.group_costs == {"lab": 2.0, "scan": 50.0}
    partly = "feature,cost,group,group_cost\nratio,0,lab;scan,;50\nchol,1,lab,2\n"
    assert read_price_list(write(partly)).group_costs == {"scan": 50.0, "lab": 2.0}


def test_decimal_commas_of_a_price_list(write):
    text = "feature;cost;group;group_cost\nchol;7,27;blood;2,1\nage;0.5;;\n"
    prices = read_price_list(write(text), Dialect(decimal=","))
    assert prices.prices["chol"] == Price(7.27, ("blood",))
    assert prices.prices["age"] == Price(0.5)
    assert read_price_list(write("feature;cost\na;7,125\n"), Dialect(decimal=",")).prices == {
        "a": Price(7.125)
    }
    with pytest.raises(DataError, match="thousands"):
        read_price_list(write("feature;cost\na;1.234\n"), Dialect(decimal=","))
