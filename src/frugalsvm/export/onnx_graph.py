"""A panel as an ONNX graph, for runtimes without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import FrugalSVMError, UnsupportedModelError
from frugalsvm.tabular.variables import Kind, Variable

if TYPE_CHECKING:
    from frugalsvm.saved.model import FrugalModel

OPSET = 19
"""The first in which texts can be compared."""
IR_VERSION = 9
KERNELS = ("linear", "rbf", "poly", "polynomial")


def to_onnx(model: FrugalModel) -> bytes:
    """Return the model as an ONNX file's bytes, in double precision.

    One input a raw variable, of shape (n, 1): double for numbers and truth values (1, 0), string
    for levels. Outputs: ``score`` (n, 1), positive towards ``classes[1]``, and ``label`` (n, 1),
    a string. A missing number (NaN) and a level that was not there in training give the score
    NaN and the label "": nothing is guessed.

    Parameters
    ----------
    model : FrugalModel
        A panel with the linear, the radial or the polynomial kernel.

    Returns
    -------
    bytes
        To be written to a ``.onnx`` file.

    Raises
    ------
    UnsupportedModelError
        For other kernels.
    """
    if model.decision.kernel.kind not in KERNELS or not model.panel.features:
        raise UnsupportedModelError(
            f"ONNX files hold panels with the kernels {', '.join(KERNELS)}, of at least one "
            f"feature. This one has {model.decision.kernel.kind!r} and "
            f"{len(model.panel.features)} features: use its model file."
        )
    try:
        from onnx import helper
    except ImportError as error:
        raise FrugalSVMError(
            "Writing ONNX needs the package onnx: install it with pip install 'frugalsvm[onnx]'."
        ) from error
    graph = _Graph()
    coded = graph.coded(model)
    graph.decide(model, coded)
    made = helper.make_model(
        helper.make_graph(graph.nodes, "frugalsvm", graph.inputs, graph.outputs(), graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="frugalsvm",
        ir_version=IR_VERSION,
    )
    serialized: bytes = made.SerializeToString()
    return serialized


class _Graph:
    """Nodes, constants and inputs, as they are added; every value has a name of its own."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []

    def add(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add an operation; return the name of its output."""
        from onnx import helper

        name = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any) -> str:
        """Add a constant: numbers as doubles, texts as strings."""
        from onnx import TensorProto, helper

        name = f"constant_{len(self.constants)}"
        array = np.asarray(value)
        if array.dtype.kind in "US":
            texts = [str(text).encode() for text in array.ravel()]
            made = helper.make_tensor(name, TensorProto.STRING, array.shape, texts)
        else:
            numbers = array.astype(np.float64)
            made = helper.make_tensor(name, TensorProto.DOUBLE, numbers.shape, numbers.ravel())
        self.constants.append(made)
        return name

    def outputs(self) -> list[Any]:
        """Return the declared outputs."""
        from onnx import TensorProto, helper

        return [
            helper.make_tensor_value_info("score", TensorProto.DOUBLE, ["n", 1]),
            helper.make_tensor_value_info("label", TensorProto.STRING, ["n", 1]),
        ]

    def coded(self, model: FrugalModel) -> str:
        """Add the inputs and their coding; return the matrix of the panel's columns."""
        columns: dict[str, str] = {}
        for variable in model.preparation.variables:
            columns |= self._variable(variable)
        return self.add("Concat", *(columns[c.name] for c in model.preparation.columns), axis=1)

    def _variable(self, variable: Variable) -> dict[str, str]:
        from onnx import TensorProto, helper

        categorical = variable.kind is Kind.CATEGORICAL
        kind = TensorProto.STRING if categorical else TensorProto.DOUBLE
        self.inputs.append(helper.make_tensor_value_info(variable.name, kind, ["n", 1]))
        if not categorical:
            return {variable.name: variable.name}
        hits = [
            self.add("Cast", self._is(variable.name, level), to=TensorProto.DOUBLE)
            for level in variable.levels
        ]
        # 1 for a known level, else NaN, which every column of the variable then is.
        known = self.add("Sum", *hits) if len(hits) > 1 else hits[0]
        unknown = self.add("Equal", known, self.constant(0.0))
        doubt = self.add("Where", unknown, self.constant(np.nan), self.constant(0.0))
        names = zip(variable.coded_names, hits[1:], strict=True)
        return {name: self.add("Add", hit, doubt) for name, hit in names}

    def _is(self, column: str, level: str) -> str:
        return self.add("Equal", column, self.constant(np.array([level])))

    def decide(self, model: FrugalModel, coded: str) -> None:
        """Add the decision: standardise, score, label."""
        decision, scaler = model.decision, model.decision.scaler
        moved = self.add("Sub", coded, self.constant(scaler.center))
        Z = self.add("Div", moved, self.constant(scaler.scale))
        if scaler.constant.any():
            Z = self.add("Mul", Z, self.constant((~scaler.constant).astype(np.float64)))
        kernel = decision.kernel
        if kernel.linear:
            raw = self.add("MatMul", Z, self.constant(decision.weights[:, np.newaxis]))
        else:
            K = self._radial(Z, model) if kernel.kind == "rbf" else self._polynomial(Z, model)
            raw = self.add("MatMul", K, self.constant(decision.dual[:, np.newaxis]))
        shifted = self.add("Add", raw, self.constant(decision.intercept))
        score = self.add("Mul", shifted, self.constant(decision.sign), name="score")
        above = self.add("Greater", score, self.constant(0.0))
        labels = [self.constant(np.array([[str(label)]])) for label in model.classes]
        said = self.add("Where", above, labels[1], labels[0])
        unknown = self.add("IsNaN", score)
        self.add("Where", unknown, self.constant(np.array([[""]])), said, name="label")

    def _radial(self, Z: str, model: FrugalModel) -> str:
        vectors = model.decision.vectors
        products = self.add("MatMul", Z, self.constant(vectors.T))
        squares = self.add("Mul", Z, Z)
        ones: NDArray[np.float64] = np.ones((vectors.shape[1], 1))
        lengths = self.add("MatMul", squares, self.constant(ones))
        twice = self.add("Mul", products, self.constant(-2.0))
        own = self.constant((vectors**2).sum(axis=1)[np.newaxis])
        distance = self.add("Add", self.add("Add", twice, lengths), own)
        return self.add(
            "Exp", self.add("Mul", distance, self.constant(-float(model.decision.kernel.gamma)))
        )

    def _polynomial(self, Z: str, model: FrugalModel) -> str:
        kernel = model.decision.kernel
        products = self.add("MatMul", Z, self.constant(model.decision.vectors.T))
        scaled = self.add("Mul", products, self.constant(float(kernel.gamma)))
        shifted = self.add("Add", scaled, self.constant(float(kernel.coef0)))
        return self.add("Pow", shifted, self.constant(float(kernel.degree)))
