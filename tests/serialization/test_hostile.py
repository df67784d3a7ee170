"""Forged stored models are rejected without running code or accessing foreign memory."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lightgbm import LGBMRegressor

from studio.errors import SerializationError
from studio.learners.registry import REGISTRY
from studio.parts import find_part
from studio.serialization.boosters import check_booster, dump_booster
from studio.serialization.codec import SerializedModels, decode, encode, get_class, get_function

RETRAINED = {"cnn", "catboost", "catboost-regressor", "tabicl", "tabicl-regressor"}
"""Learners whose models are not stored."""


def encode_fitted(
    fitted: Any, key: str, task: str = "multiclass", **values: Any
) -> SerializedModels:
    return encode([fitted(find_part(REGISTRY, key, "learner")(), task, **values)])


def nodes(plain: Any, name: str) -> Iterator[Any]:
    """Yield every named JSON object with its content."""
    if isinstance(plain, dict):
        if name in plain:
            yield plain
        for each in plain.values():
            yield from nodes(each, name)
    elif isinstance(plain, list):
        for each in plain:
            yield from nodes(each, name)


def assert_rejected(record: SerializedModels, plain: Any = None, arrays: Any = None) -> None:
    text = record.structure if plain is None else json.dumps(plain)
    with pytest.raises(SerializationError):
        decode(SerializedModels(text, dict(record.arrays) if arrays is None else arrays))


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "builtins.object",
        "subprocess.Popen",
        "sklearn.utils.Bunch",
        "sklearn.ensemble.os",
        "sklearn.ensemble._forest.RandomForestClassifier",
        "RandomForestClassifier",
        "studio.document.store.Document",
        "",
    ],
)
def test_classes_outside_allowlist_are_rejected(name: str, fitted: Any) -> None:
    record = encode_fitted(fitted, "naive-bayes")
    structure = json.loads(record.structure)
    first = next(nodes(structure, "model"))
    first["model"][0] = name
    assert_rejected(record, structure)
    with pytest.raises(SerializationError):
        get_class(name)


@pytest.mark.parametrize(
    "name",
    ["os.system", "numpy.load", "numpy.fromfile", "numpy.frompyfunc", "numpy.lib.npyio.load",
     "numpy.ctypeslib", "scipy.special.os", "builtins.exec", "numpy.__builtins__", "exec"],
)  # fmt: skip
def test_functions_outside_allowlist_are_rejected(name: str) -> None:
    with pytest.raises(SerializationError):
        get_function(name)


def test_unsafe_attributes_are_rejected(fitted: Any) -> None:
    record = encode_fitted(fitted, "forest")
    for name, value in (("__class__", 1), ("n_jobs", 64), ("a.b", 1), ("memory", "/tmp/x")):
        structure = json.loads(record.structure)
        next(nodes(structure, "model"))["model"][1][name] = value
        assert_rejected(record, structure)


def forest_nodes(record: SerializedModels) -> dict[str, Any]:
    tree_nodes: dict[str, Any] = next(nodes(json.loads(record.structure), "left_child"))
    return tree_nodes


@pytest.mark.slow
@pytest.mark.parametrize("key", ["tree", "forest", "adaboost", "gradient-boosting"])
@pytest.mark.parametrize("name", ["left_child", "right_child", "feature"])
@pytest.mark.parametrize("value", ["huge", "negative", "zero"])
def test_invalid_tree_links_are_rejected(key: str, name: str, value: str, fitted: Any) -> None:
    record = encode_fitted(fitted, key)
    columns = forest_nodes(record)
    kind, start, (length,), _ = columns[name]
    number = {"huge": np.iinfo(kind).max, "negative": -7, "zero": 0}[value]
    if name == "feature" and value == "zero":
        return  # an existing column
    arrays = {each: array.copy() for each, array in record.arrays.items()}
    inner = np.flatnonzero(arrays[columns["left_child"][0]][
        columns["left_child"][1] : columns["left_child"][1] + length] > 0)  # fmt: skip
    if np.dtype(kind).kind == "u" and value == "negative":
        return
    arrays[kind][start + inner[-1]] = number
    assert_rejected(record, arrays=arrays)


def test_tree_with_shape_different_from_forest_is_rejected(fitted: Any) -> None:
    record = encode_fitted(fitted, "extra-trees")
    for name, value in (("n_features", 10**6), ("n_classes", [5]), ("n_classes", [10**9])):
        structure = json.loads(record.structure)
        next(nodes(structure, "left_child"))  # fails if there are no nodes
        next(each for each in nodes(structure, "n_features"))[name] = value
        assert_rejected(record, structure)
    structure = json.loads(record.structure)
    forest = next(each for each in nodes(structure, "model") if "ExtraTrees" in each["model"][0])
    forest["model"][1]["n_features_in_"] = 99
    assert_rejected(record, structure)


@pytest.mark.parametrize(
    "shape", [[10**18], [-1], [2**62, 4], [3.0], ["3"], [1] * 40, [10**6, 10**6, 10**6]]
)
def test_implausible_shapes_are_rejected_without_allocation(shape: list[Any], fitted: Any) -> None:
    record = encode_fitted(fitted, "naive-bayes")
    for which in (1, 2):
        structure = json.loads(record.structure)
        array = next(nodes(structure, "array"))["array"]
        array[which] = shape if which == 2 else shape[0]
        if which == 1 and shape[0] == 1:
            continue
        assert_rejected(record, structure)


def test_deep_nesting_is_rejected(fitted: Any) -> None:
    record = encode_fitted(fitted, "naive-bayes")
    assert_rejected(SerializedModels(50 * "[" + 50 * "]", record.arrays))
    assert_rejected(SerializedModels(100_000 * "[" + 100_000 * "]", record.arrays))
    assert_rejected(SerializedModels('{"tuple":[1],"array":2}', record.arrays))
    assert_rejected(SerializedModels('{"exec":"1"}', record.arrays))
    assert_rejected(SerializedModels("no JSON", record.arrays))
    assert_rejected(SerializedModels("7", record.arrays))


CHANGES = (
    ("rbf-svm", "n_features_in_", 2),
    ("rbf-svm", "kernel", "precomputed"),
    ("rbf-svm", "_sparse", True),
    ("knn", "n_samples_fit_", 7),
    ("knn", "effective_metric_", "pyfunc"),
    ("knn", "weights", {"function": "numpy.exp"}),
    ("gradient-boosting", "n_trees_per_iteration_", 2),
    ("lightgbm", "_n_features", 400),
    ("lightgbm", "_other_params", {"dict": [["machines", "10.0.0.1"]]}),
)


@pytest.mark.parametrize(("key", "name", "value"), CHANGES, ids=str)
def test_models_violating_compiled_code_assumptions_are_rejected(
    key: str, name: str, value: Any, fitted: Any
) -> None:
    record = encode_fitted(fitted, key)
    structure = json.loads(record.structure)
    model_states = [
        each["model"][1] for each in nodes(structure, "model") if name in each["model"][1]
    ]
    model_states[-1][name] = value
    assert_rejected(record, structure)


def test_category_codes_outside_columns_are_rejected(fitted: Any) -> None:
    record = encode_fitted(fitted, "logistic")
    structure = json.loads(record.structure)
    *_, encoder = [each for each in nodes(structure, "model") if "OneHot" in each["model"][0]]
    encoder["model"][1]["_n_features_outs"] = [1, 10**9]
    assert_rejected(record, structure)


BOOSTER = (
    ("left_child=", "left_child=99999 "),
    ("right_child=", "right_child=-99999 "),
    ("split_feature=", "split_feature=77 "),
    ("num_leaves=", "num_leaves=9"),
    ("num_cat=0", "num_cat=1"),
    ("num_class=1", "num_class=9"),
    ("num_tree_per_iteration=1", "num_tree_per_iteration=3"),
    ("objective=binary", "objective=multiclass num_class:9"),
    ("max_feature_idx=", "max_feature_idx=9"),
    ("tree_sizes=", "tree_sizes=9"),
    ("is_linear=0", "is_linear=1"),
    ("tree\n", "tree\nmachines=10.0.0.1\n"),
)


@pytest.mark.parametrize(("old", "new"), BOOSTER, ids=lambda each: each[:20])
def test_lightgbm_text_is_validated_before_loading(old: str, new: str, fitted: Any) -> None:
    record = encode_fitted(fitted, "lightgbm", "binary")
    structure = json.loads(record.structure)
    model = next(each for each in nodes(structure, "_Booster"))
    kind, start, (length,), _ = model["_Booster"]["form"]
    text = record.arrays[kind][start : start + length].tobytes().decode()
    check_booster(text.encode(), model["_n_features"])
    if old in {"left_child=", "right_child=", "split_feature="}:
        line = next(each for each in text.split("\n") if each.startswith(old))
        _, _, rest = line.partition(" ")
        changed_text = text.replace(line, f"{new}{rest}", 1)
        size = next(each for each in text.split("\n") if each.startswith("tree_sizes="))
        first, *others = size.removeprefix("tree_sizes=").split(" ")
        longer = int(first) + len(f"{new}{rest}") - len(line)
        changed_text = changed_text.replace(
            size, f"tree_sizes={' '.join([str(longer), *others])}", 1
        )
    else:
        changed_text = text.replace(old, new, 1)
    assert changed_text != text
    with pytest.raises((SerializationError, KeyError, ValueError)):
        check_booster(changed_text.encode(), model["_n_features"])


@pytest.mark.parametrize(
    "line",
    [
        "cat_boundaries=0 9",
        "cat_boundaries=1 1",
        "cat_boundaries=0 -1",
        "cat_boundaries=0",
        "cat_threshold=-1",
        "cat_threshold=4294967296",
        "cat_threshold=1 1",
        "cat_threshold=",
        "num_cat=0",
        "num_cat=2",
        "threshold=7",
        "threshold=0.5",
        "threshold=-1",
    ],
)
def test_category_sets_in_lightgbm_text_are_validated(line: str) -> None:
    X, y = np.repeat(np.arange(3.0), 20)[:, None], np.repeat([0.0, 5.0, 0.0], 20)
    model = LGBMRegressor(n_estimators=1, num_leaves=2, min_child_samples=5, n_jobs=1, verbosity=-1)
    text = dump_booster(model.fit(X, y, categorical_feature=[0]).booster_)
    check_booster(text.encode(), 1)
    changed_text = with_line(text, line)
    assert changed_text != text
    with pytest.raises((SerializationError, KeyError, ValueError)):
        check_booster(changed_text.encode(), 1)


def with_line(text: str, line: str) -> str:
    """Replace the line of a field of the only tree of a LightGBM model, and its size."""
    name = line.partition("=")[0]
    (old_line,) = [each for each in text.split("\n") if each.startswith(f"{name}=")]
    (size,) = re.findall(r"tree_sizes=(\d+)", text)
    longer = f"tree_sizes={int(size) + len(line) - len(old_line)}"
    return text.replace(old_line, line, 1).replace(f"tree_sizes={size}", longer, 1)


NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]\d+)?|-?inf|-?nan")


@pytest.mark.slow
@given(
    st.lists(
        st.one_of(
            st.floats().map("{:.17g}".format),
            st.text("019-.e+", max_size=6),
            st.sampled_from(["inf", "-inf", "nan", "-nan", "ina", "fan", "inf1", "nn", "+inf"]),
        ),
        min_size=2,
        max_size=4,
    )
)
@example(["1.5e+07", "-0"])
@example(["1.5.2", "1"])
@example(["1e+2e+3", "1"])
@example(["1e+2.5", "1"])
@example(["1.", ".5"])
@example(["", "1", "1"])
def test_malformed_numbers_in_lightgbm_text_are_rejected(numbers: list[str]) -> None:
    X, y = np.repeat(np.arange(2.0), 20)[:, None], np.repeat([0.0, 5.0], 20)
    model = LGBMRegressor(n_estimators=1, num_leaves=2, min_child_samples=5, n_jobs=1, verbosity=-1)
    text = dump_booster(model.fit(X, y).booster_)
    changed_text = with_line(text, f"leaf_value={' '.join(numbers)}")
    if len(numbers) == 2 and all(map(NUMBER.fullmatch, numbers)):
        check_booster(changed_text.encode(), 1)
    else:
        with pytest.raises((SerializationError, KeyError, ValueError)):
            check_booster(changed_text.encode(), 1)


@pytest.mark.parametrize(
    ("column", "places", "value"),
    [
        ("left_children", [0], 0),  # a cycle
        ("left_children", [0], 10**6),  # beyond the end
        ("right_children", [0], -1),  # half a leaf
        ("right_children", [0], -7),
        ("split_indices", [0, -1], 10**6),  # a missing column
        ("split_indices", [0], -1),
        ("default_left", [0], 2),
        ("split_conditions", [0], np.nan),
    ],
)
def test_invalid_xgboost_trees_are_rejected(
    column: str, places: list[int], value: float, fitted: Any
) -> None:
    pytest.importorskip("xgboost")
    record = encode_fitted(fitted, "xgboost")
    (form,) = (each["form"] for each in nodes(json.loads(record.structure), "form"))
    kind, start, (length,), _ = form["columns"][column]
    for index in places:
        arrays = {name: array.copy() for name, array in record.arrays.items()}
        arrays[kind][start + index % length] = value
        assert_rejected(record, arrays=arrays)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("objective", "reg:gamma"),
        ("classes", 2),  # three trees per round
        ("classes", 10**9),
        ("classes", "3"),
        ("features", 10**9),
        ("features", 0),
        ("base", [0.0] * 5),
        ("base", "0.5"),
        ("base", [1e999]),
    ],
)
def test_invalid_xgboost_numbers_are_rejected(name: str, value: Any, fitted: Any) -> None:
    pytest.importorskip("xgboost")
    record = encode_fitted(fitted, "xgboost")
    structure = json.loads(record.structure)
    (holder,) = nodes(structure, "form")
    holder["form"][name] = value
    assert_rejected(record, structure)


def test_non_plain_xgboost_settings_are_rejected(fitted: Any) -> None:
    pytest.importorskip("xgboost")
    record = encode_fitted(fitted, "xgboost")
    structure = json.loads(record.structure)
    (state,) = (each for each in nodes(structure, "n_estimators"))
    state["eval_metric"] = {"function": "numpy.mean"}
    assert_rejected(record, structure)


FUZZ = """
import random, sys, warnings
import numpy as np
from pathlib import Path
from studio.errors import SerializationError
from studio.serialization.codec import SerializedModels, decode
warnings.simplefilter("ignore")
folder, turns = Path(sys.argv[1]), int(sys.argv[2])
X = np.load(folder / "X.npy")
for key in sys.argv[3:]:
    print(key, flush=True)
    text = (folder / f"{key}.json").read_text()
    with np.load(folder / f"{key}.npz") as found:
        arrays = {name.replace("~", "|"): found[name] for name in found.files}
    names = list(arrays)
    draw = random.Random(key)
    for turn in range(turns):
        changed = {name: array.copy() for name, array in arrays.items()}
        letters = text
        if turn % 2:
            octets = changed[draw.choice(names)].view(np.uint8)
            for _ in range(draw.randint(1, 3)):
                octets[draw.randrange(octets.size)] ^= 1 << draw.randrange(8)
        else:
            place = draw.randrange(len(text))
            letters = text[:place] + draw.choice("0123456789-[]{},:e.") + text[place + 1 :]
        try:
            stored = SerializedModels(letters, changed)
            (model,) = decode(stored, only_to_predict=turn % 4 > 1)
            model.predict(X)
        except SerializationError:
            pass  # refused
        except Exception:
            pass  # read, and numpy noticed that it does not fit
print("alive")
"""


@pytest.mark.slow
def test_flipped_bits_are_rejected_or_change_numbers_only(
    fitted: Any, rows: dict[str, Any], tmp_path: Path
) -> None:
    """Runs in a separate process, as compiled code may crash."""
    parts = [
        part for part in REGISTRY if part.key not in RETRAINED and not part.get_missing_dependency()
    ]
    np.save(tmp_path / "X.npy", rows["new"])
    for part in parts:
        small = {"n_estimators": 5} if "n_estimators" in part.hyperparameters else {}
        record = encode([fitted(part(), part.tasks[-1], **small)])
        (tmp_path / f"{part.key}.json").write_text(record.structure)
        arrays: Any = {name.replace("|", "~"): array for name, array in record.arrays.items()}
        np.savez(tmp_path / f"{part.key}.npz", **arrays)
    process = subprocess.run(
        [sys.executable, "-c", FUZZ, str(tmp_path), "32", *(part.key for part in parts)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout.split()[-1:] == ["alive"], process.stdout + process.stderr[-2000:]
