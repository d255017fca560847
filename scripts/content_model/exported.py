"""A trained model as the file that Oryn reads."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from onnx import TensorProto, helper

from oryn.research.extraction.content_model import INPUT
from scripts.content_model.training import TrainedModel


def save(model: TrainedModel, card: str, file: Path) -> None:
    """Write the model. Its bytes depend on the model alone."""
    parts = {
        "card": np.array(card),
        "tokens": model.tokens.astype(np.float16),
        "kind_tokens": model.kind_tokens.astype(np.float16),
        "kind": _onnx([model.kind], classes=model.kind.num_model_per_iteration()),
        "first": _onnx(model.first),
        "second": _onnx(model.second),
        "selection": _onnx(model.selection),
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, values in parts.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asanyarray(values), allow_pickle=False)
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy", (2025, 1, 1, 0, 0, 0)), buffer.getvalue(), zipfile.ZIP_DEFLATED
            )


def _onnx(boosters: Sequence[lightgbm.Booster], classes: int = 1) -> np.ndarray:
    """The mean of the boosters' raw scores as an ONNX graph (https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleRegressor.html)."""
    node: dict[str, list[Any]] = {
        name: []
        for name in (
            "nodes_treeids nodes_nodeids nodes_featureids nodes_values nodes_modes nodes_truenodeids "
            "nodes_falsenodeids target_treeids target_nodeids target_ids target_weights"
        ).split()
    }
    tree_number = 0
    features = 0
    for booster in boosters:
        dumped = booster.dump_model()
        features = dumped["max_feature_idx"] + 1
        for at, tree in enumerate(dumped["tree_info"]):
            _add_tree(node, tree["tree_structure"], tree_number, at % classes, 1 / len(boosters))
            tree_number += 1
    graph = helper.make_graph(
        [
            helper.make_node(
                "TreeEnsembleRegressor", [INPUT], ["scores"], domain="ai.onnx.ml", n_targets=classes,
                aggregate_function="SUM", post_transform="NONE", **node,
            )
        ],
        "trees",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, [None, features])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, classes])],
    )  # fmt: skip
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 1)], ir_version=8
    )
    return np.frombuffer(model.SerializeToString(deterministic=True), dtype=np.uint8)


def _add_tree(node: dict[str, list[Any]], structure: dict[str, Any], tree: int, target: int, share: float) -> None:
    waiting = [structure]
    number = 0
    for each in waiting:
        node["nodes_treeids"].append(tree)
        node["nodes_nodeids"].append(number)
        if "leaf_value" in each and "split_feature" not in each:
            leaf = {
                "nodes_featureids": 0,
                "nodes_values": 0.0,
                "nodes_modes": "LEAF",
                "nodes_truenodeids": 0,
                "nodes_falsenodeids": 0,
            }
            node["target_treeids"].append(tree)
            node["target_nodeids"].append(number)
            node["target_ids"].append(target)
            node["target_weights"].append(float(np.float32(each["leaf_value"] * share)))
        else:
            leaf = {
                "nodes_featureids": each["split_feature"],
                "nodes_values": _threshold(each["threshold"]),
                "nodes_modes": "BRANCH_LEQ",
                "nodes_truenodeids": len(waiting),
                "nodes_falsenodeids": len(waiting) + 1,
            }
            waiting += [each["left_child"], each["right_child"]]
        for name, value in leaf.items():
            node[name].append(value)
        number += 1


def _threshold(value: float) -> float:
    """The largest number of single precision that is not above: features have that precision, so decisions stay."""
    single = np.float32(value)
    return float(single if single <= value else np.nextafter(single, np.float32(-np.inf)))
