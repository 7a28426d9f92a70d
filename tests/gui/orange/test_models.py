"""What widgets mean, row by row: missing values, duplicates, empty tables; and what stays opaque."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from tests.gui.orange.ows_files import context, formula, node, ows, recent_path, variable
from veer.gui.orange.front_end import SYSTEM
from veer.gui.orange.graph import read_ows
from veer.gui.reading import Reading, read_graph
from veer.interpreter import run_dataflow
from veer.ir.ops import OTHER_COLUMNS, Sink, Source, TableUdf
from veer.ir.types import DOUBLE, STRING
from veer.read.sql import read_schema

FILE = node("File", {"recent_paths": [recent_path("a.csv", "basedir")], "source": 0})
SCHEMA = "CREATE TABLE a (x DOUBLE, c STRING, n INT)"
COLUMNS = {"x": 2, "c": 1, "n": 2}
Rows = list[tuple[Any, ...]]
ROWS: Rows = [(1.0, "u", 1), (None, "v", None), (math.nan, "", 3), (5.0, None, 4), (5.0, None, 4)]


def chain(*nodes: tuple[str, str, Any], output: str = "Data") -> bytes:
    """A file, widgets one after the other, and a table that shows what comes of them."""
    widgets = [FILE, *nodes, node("Result", {}, "Data Table")]
    channels = ["Data"] * len(nodes) + [output]
    links = [
        (one[0], channel, two[0], "Data")
        for one, two, channel in zip(widgets, widgets[1:], channels, strict=False)
    ]
    return ows(widgets, links)


def reading(data: bytes, schema: str = SCHEMA) -> Reading:
    return read_graph(SYSTEM, read_ows(data), {}, read_schema(schema) if schema else {})


def result(data: bytes, rows: Rows = ROWS, schema: str = SCHEMA) -> Rows:
    """The rows that the last table shows; nothing on the way may be opaque."""
    read = reading(data, schema)
    assert not read.opaque
    shown = run_dataflow(read.dataflow, {"a": rows})["Result: result"]
    return [tuple(row) for row in shown.rows]


def opaque(data: bytes, title: str, schema: str = SCHEMA) -> str:
    """Why a widget stays opaque."""
    return reading(data, schema).opaque[title]


# -- Select Rows -----------------------------------------------------------------------------------


def select_rows(*conditions: tuple[Any, ...], **settings: Any) -> tuple[str, str, Any]:
    saved = context({"conditions": list(conditions), "__version__": 2}, COLUMNS)
    return node("Select Rows", {"context_settings": [saved], "__version__": 2, **settings})


def same(value: Any, other: Any) -> bool:
    both_nan = all(isinstance(v, float) and math.isnan(v) for v in (value, other))
    return both_nan or value == other


CONDITIONS: Sequence[tuple[tuple[Any, ...], list[int]]] = [
    (("x", 2, 0, [5.0]), [3, 4]),
    (("x", 2, 1, [5.0]), [0, 1, 2]),  # what is missing differs from everything
    (("x", 2, 2, [5.0]), [0]),
    (("x", 2, 3, [5.0]), [0, 3, 4]),
    (("x", 2, 4, [1.0]), [3, 4]),  # NaN is not above anything, as it is in Spark
    (("x", 2, 5, [1.0]), [0, 3, 4]),
    (("x", 2, 6, [1.0, 4.0]), [0]),
    (("x", 2, 7, [2.0, 4.0]), [0, 3, 4]),
    (("x", 2, 8, []), [0, 3, 4]),
    (("n", 2, 4, [1.0]), [2, 3, 4]),
    (("c", 1, 0, ["u"]), [0]),
    (("c", 1, 1, ["u"]), [1]),  # a missing category is none of the others
    (("c", 1, 2, ["u", "v"]), [0, 1]),
    (("c", 1, 3, []), [0, 1]),
    (("c", 3, 0, ["u"]), [0]),
    (("c", 3, 1, ["u"]), [1, 2, 3, 4]),  # a missing text is the empty text
    (("c", 3, 2, ["v"]), [0, 2, 3, 4]),
    (("c", 3, 8, ["v"]), [1]),
]


@pytest.mark.parametrize(("condition", "kept"), CONDITIONS)
def test_conditions(condition: tuple[Any, ...], kept: list[int]) -> None:
    for output, places in (
        ("Matching Data", kept),
        ("Unmatched Data", [i for i in range(len(ROWS)) if i not in kept]),
    ):
        given = result(chain(select_rows(condition), output=output))
        expected = [ROWS[i] for i in places]
        assert sorted(map(repr, given)) == sorted(map(repr, expected))
        assert result(chain(select_rows(condition), output=output), []) == []


def test_all_conditions_must_hold() -> None:
    both = select_rows(("x", 2, 4, [1.0]), ("c", 1, 3, []))
    assert result(chain(both, output="Matching Data")) == []
    assert len(result(chain(both, output="Unmatched Data"))) == len(ROWS)


@pytest.mark.parametrize(
    ("widget", "reason"),
    [
        (select_rows(("x", 2, 4, [1.0]), purge_attributes=True), "unused values"),
        (select_rows(("x", 2, 4, [1.0]), __version__=1), "another version"),
        (select_rows(("x", 2, 4, [0.12345678])), "digits"),
        (select_rows(("x", 2, 9, [])), "values are missing"),
        (select_rows(("x", 2, 4, [])), "values are missing"),
        (select_rows(("x", 4, 4, [1.0])), "times"),
        (select_rows(("c", 3, 9, ["u"])), "operator 9"),
        (select_rows(("c", 1, 0, [""])), "a value is missing"),
        (select_rows(("c", 2, 0, [1.0])), "as a number"),
        (select_rows(("All variables", None, 0, [])), "all variables"),
        (select_rows(), "no conditions"),
        (node("Select Rows", {"__version__": 2}), "no saved contexts"),
        (
            node("Select Rows", {"__version__": 2, "context_settings": [context({}, {})] * 2}),
            "2 saved contexts",
        ),
    ],
)
def test_conditions_that_stay_opaque(widget: tuple[str, str, Any], reason: str) -> None:
    assert reason in opaque(chain(widget, output="Matching Data"), "Select Rows")


# -- Select Columns --------------------------------------------------------------------------------


def select_columns(hints: dict[str, tuple[str, int]], **settings: Any) -> tuple[str, str, Any]:
    roles = {(name, COLUMNS[name]): role for name, role in hints.items()}
    saved = context({"domain_role_hints": (roles, -2)}, COLUMNS)
    return node("Select Columns", {"context_settings": [saved], **settings})


HINTS = {"c": ("class", 0), "n": ("attribute", 0), "x": ("available", 0)}


def test_columns_are_chosen_and_ordered_by_role() -> None:
    read = reading(chain(select_columns(HINTS)))
    shown = run_dataflow(read.dataflow, {"a": ROWS})["Result: result"]
    assert [tuple(row) for row in shown.rows] == [(row[2], row[1]) for row in ROWS]


def test_roles_count_for_what_is_opaque() -> None:
    """A learner sees what the target is, also of a table without rows."""
    moved = {**HINTS, "c": ("attribute", 1)}
    learners = []
    for hints in (HINTS, moved):
        data = ows(
            [FILE, select_columns(hints), node("Tree")],
            [
                ("File", "Data", "Select Columns", "Data"),
                ("Select Columns", "Data", "Tree", "Data"),
            ],
        )
        flow = reading(data).dataflow
        (learner,) = (i for i, o in flow.operators.items() if isinstance(o, TableUdf))
        learners.append(flow.schemas[flow.inputs[learner][0]].names)
    assert learners[0] != learners[1]
    assert [names[:2] for names in learners] == [("n", "c"), ("n", "c")]


def test_new_columns_are_not_guessed() -> None:
    known = select_columns({"c": ("meta", 0)})
    assert "were not there" in opaque(chain(known), "Select Columns")
    ignoring = select_columns({"c": ("meta", 0)}, ignore_new_features=True)
    assert result(chain(ignoring)) == [(row[1],) for row in ROWS]


def test_columns_of_a_table_nobody_knows() -> None:
    flow = reading(chain(select_columns(HINTS)), "").dataflow
    (source,) = (o for o in flow.operators.values() if isinstance(o, Source))
    told = {field.name: field.type for field in source.fields}
    assert told == {"x": DOUBLE, "c": STRING, "n": DOUBLE, OTHER_COLUMNS: STRING}
    (sink,) = (i for i, o in flow.operators.items() if isinstance(o, Sink))
    assert flow.schemas[sink].names == ("n", "c", OTHER_COLUMNS)


@pytest.mark.parametrize("name", ["(order)", '(roles) {"x": "class"}', "(roles) ?"])
def test_columns_that_are_called_like_hidden_ones_are_refused(name: str) -> None:
    saved = context({"conditions": [(name, 2, 8, [])], "__version__": 2}, {name: 2})
    widget = node("Select Rows", {"context_settings": [saved], "__version__": 2})
    assert "is called" in opaque(chain(widget, output="Matching Data"), "Select Rows", "")
    schema = f"CREATE TABLE a (`{name}` INT)"
    assert "is called" in opaque(chain(), "File", schema)


# -- Edit Domain, Feature Constructor --------------------------------------------------------------


def edit_domain(changes: dict[Any, Any]) -> tuple[str, str, Any]:
    return node("Edit Domain", {"_domain_change_hints": changes, "__version__": 3})


def test_columns_are_renamed() -> None:
    changes = {
        ("Real", ("x", (1, "f"), (), False)): [("Rename", ("y",))],
        ("String", ("gone", (), False)): [("Rename", ("back",))],
    }
    flow = reading(chain(edit_domain(changes))).dataflow
    assert flow.schemas["Result: result"].names == ("y", "c", "n")
    assert result(chain(edit_domain(changes)))[0] == ROWS[0]


def test_other_changes_of_the_domain_stay_opaque() -> None:
    changes = {("Real", ("x", (1, "f"), (), False)): [("AsString", ())]}
    assert "other ways" in opaque(chain(edit_domain(changes)), "Edit Domain")
    renamed = {("Real", ("x", (1, "f"), (), False)): [("Rename", ("y",))]}
    assert "not all columns" in opaque(chain(edit_domain(renamed)), "Edit Domain", "")


def test_a_renaming_is_of_variables_of_one_kind() -> None:
    changes: Any = {("String", ("x", (), False)): [("Rename", ("y",))]}
    assert "another kind" in opaque(chain(edit_domain(changes)), "Edit Domain")
    both = {**changes, ("Real", ("x", (1, "f"), (), False)): [("Rename", ("z",))]}
    assert "two variables" in opaque(chain(edit_domain(both)), "Edit Domain")


def constructor(*formulas: Any) -> tuple[str, str, Any]:
    saved = context({"descriptors": (list(formulas), -2)}, COLUMNS)
    return node("Feature Constructor", {"context_settings": [saved]})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + 2 * n", [3.0, None, None, 13.0, 13.0]),
        ("-x", [-1.0, None, None, -5.0, -5.0]),
        ("1 if x > 2 else 0", [0.0, 0.0, 0.0, 1.0, 1.0]),
        ("1 if x != 5 else 0", [1.0, 1.0, 1.0, 0.0, 0.0]),
        ("1 if not (x > 2 or n == 1) else 0", [0.0, 1.0, 1.0, 0.0, 0.0]),
        ("n / x", [1.0, None, None, 0.8, 0.8]),
    ],
)
def test_formulas(text: str, expected: list[float | None]) -> None:
    given = result(chain(constructor(formula("z", text))))
    assert [row[3] for row in given] == expected


@pytest.mark.parametrize(
    ("widget", "reason"),
    [
        (constructor(formula("z", "gauss(0, x)")), "random"),
        (constructor(formula("x", "n + 1")), "in the place of"),
        (constructor(formula("z", "n +")), "not an expression"),
        (constructor(formula("z", "n + 0x1" + "0" * 9_000)), "too long"),
        (constructor(formula("z", "-" * 70 + "n")), "nested"),
        (constructor(formula("z", "c", "StringDescriptor")), "no number"),
        (constructor(), "no formulas"),
    ],
)
def test_formulas_that_stay_opaque(widget: tuple[str, str, Any], reason: str) -> None:
    assert reason in opaque(chain(widget), "Feature Constructor")


def computed(text: str) -> str:
    read = reading(chain(constructor(formula("z", text))))
    assert not read.opaque
    return str(read.dataflow.operators["Feature Constructor"])


@pytest.mark.parametrize(
    "text", ["sqrt(x) + 1", "c + 'a'", "1 if c == 'u' else 0", "x ** 2", "1 + 2"]
)
def test_formulas_with_unknown_parts_are_unknown_as_a_whole(text: str) -> None:
    assert "'formula_" not in computed(text)
    shown = text.replace(" ", "_").replace("'", "\\'")  # in a text with both kinds of quotes
    assert f"formula_{shown} of Orange" in computed(text)
    assert "arithmetic" not in computed(text).lower()


def test_nothing_is_known_of_a_row_with_a_division_by_zero() -> None:
    assert "formula_1_if_n_/_x_>_2_else_1 of Orange" in computed("1 if n / x > 2 else 1")


# -- other tables ----------------------------------------------------------------------------------


def test_tables_are_put_under_each_other() -> None:
    rows = select_rows(("x", 2, 8, []))
    data = ows(
        [FILE, rows, node("Concatenate"), node("Result", {}, "Data Table")],
        [
            ("File", "Data", "Select Rows", "Data"),
            ("File", "Data", "Concatenate", "Primary Data"),
            ("Select Rows", "Matching Data", "Concatenate", "Additional Data"),
            ("Concatenate", "Data", "Result", "Data"),
        ],
    )
    assert len(result(data)) == len(ROWS) + 3
    assert result(data, []) == []


def under_each_other(*titles: str) -> tuple[str, ...]:
    """What the model of a learner is made of, if it learns from two tables put under each other."""
    files = [
        node(title, {"recent_paths": [recent_path(f"{title}.csv", "basedir")]}, "File")
        for title in ("a", "b")
    ]
    nodes = [*files, node("Concatenate"), node("T", {}, "Data Table"), node("Tree")]
    links = [
        *((title, "Data", "Concatenate", "Additional Data") for title in titles),
        ("Concatenate", "Data", "T", "Data"),
        ("Concatenate", "Data", "Tree", "Data"),
    ]
    schema = f"{SCHEMA}; {SCHEMA.replace('TABLE a', 'TABLE b')}"
    flow = reading(ows(nodes, links), schema).dataflow
    tables = {"a": [(1.0, "u", 1)], "b": [(2.0, "v", 2)]}
    results = run_dataflow(flow, tables)
    return tuple(repr(sorted(map(repr, results[f"{t}: result"].rows))) for t in ("T", "Tree"))


def test_learners_see_which_table_comes_first() -> None:
    (shown, learnt), (shown_too, learnt_otherwise) = (
        under_each_other("a", "b"),
        under_each_other("b", "a"),
    )
    assert shown == shown_too
    assert learnt != learnt_otherwise


def test_computed_variables_are_the_same_only_if_one_widget_made_them() -> None:
    def data(*feeding: tuple[str, str]) -> bytes:
        made = [
            node(title, constructor(formula("z", "x + 1"))[2], "Feature Constructor")
            for title in ("A", "B")
        ]
        rows = node("Rows", select_rows(("x", 2, 8, []))[2], "Select Rows")
        nodes = [FILE, *made, rows, node("Concatenate"), node("Result", {}, "Data Table")]
        links = [
            *(("File", "Data", title, "Data") for title in ("A", "B")),
            ("A", "Data", "Rows", "Data"),
            *((*source, "Concatenate", "Additional Data") for source in feeding),
            ("Concatenate", "Data", "Result", "Data"),
        ]
        return ows(nodes, links)

    assert not reading(data(("A", "Data"), ("Rows", "Matching Data"))).opaque
    assert "computed" in opaque(data(("A", "Data"), ("B", "Data")), "Concatenate")


def test_what_nobody_takes_is_shown() -> None:
    data = ows([FILE, select_columns(HINTS)], [("File", "Data", "Select Columns", "Data")])
    flow = reading(data).dataflow
    assert flow.schemas["Select Columns: result"].names == ("n", "c")


def test_a_column_of_sources_stays_opaque() -> None:
    data = ows(
        [
            FILE,
            node("Concatenate", {"append_source_column": True}),
            node("Result", {}, "Data Table"),
        ],
        [
            ("File", "Data", "Concatenate", "Additional Data"),
            ("Concatenate", "Data", "Result", "Data"),
        ],
    )
    assert "where rows come from" in opaque(data, "Concatenate")


@pytest.mark.parametrize(("seeded", "deterministic"), [(True, True), (False, False)])
def test_samples_are_choices_unless_they_can_be_repeated(seeded: bool, deterministic: bool) -> None:
    widget = node("Data Sampler", {"use_seed": seeded, "sampling_type": 0})
    flow = reading(chain(widget, output="Data Sample")).dataflow
    sample = flow.operators["Data Sampler.Data Sample"]
    assert isinstance(sample, TableUdf)
    assert sample.deterministic is deterministic
    assert flow.schemas["Data Sampler.Data Sample"].names == ("x", "c", "n")


def test_a_setting_that_a_model_does_not_know_makes_it_opaque() -> None:
    data = chain(select_rows(("x", 2, 8, []), any_of_them=False), output="Matching Data")
    assert "any_of_them" in opaque(data, "Select Rows")


def test_a_category_is_compared_with_one_value() -> None:
    data = chain(select_rows(("c", 1, 0, ["u", "v"])), output="Matching Data")
    assert "several values" in opaque(data, "Select Rows")


def test_what_formulas_make_of_categories_depends_on_their_version() -> None:
    shown = []
    for version in (2, 3):
        title, kind, settings = constructor(formula("z", "1 if c == 'u' else 0"))
        flow = reading(chain((title, kind, {**settings, "__version__": version}))).dataflow
        shown.append(flow.operators[title])
    assert shown[0] != shown[1]


def unique(tiebreaker: str, *names: tuple[str, int]) -> tuple[str, str, Any]:
    saved = context({"selected_vars": (list(names), -3)}, COLUMNS)
    return node("Unique", {"context_settings": [saved], "tiebreaker": tiebreaker})


@pytest.mark.parametrize(
    ("tiebreaker", "free"), [("First instance", False), ("Random instance", True)]
)
def test_which_row_of_a_key_stays_is_not_known(tiebreaker: str, free: bool) -> None:
    data = chain(unique(tiebreaker, ("x", 102)))
    assert "which row" in opaque(data, "Unique")
    flow = reading(data).dataflow
    assert flow.schemas["Unique"].names == ("x", "c", "n")
    assert is_free(flow.operators["Unique"]) is free


def is_free(operator: Any) -> bool:
    assert isinstance(operator, TableUdf)
    return not operator.deterministic


def own_method(method: int) -> Any:
    state = ({(2, "x"): (method, ())}, -4)
    return context({"_variable_imputation_state": state}, COLUMNS)


@pytest.mark.parametrize(
    ("settings", "free"),
    [
        ({"_default_method_index": 2}, False),
        ({"_default_method_index": 4}, True),  # by a learner
        ({"_default_method_index": 5}, True),
        ({"default_method": 5}, True),
        ({"_default_method_index": 1, "context_settings": [own_method(5)]}, True),
        ({"_default_method_index": 1, "context_settings": [own_method(2)]}, False),
        (
            {"_default_method_index": 2, "context_settings": [own_method(2), own_method(5)]},
            True,
        ),
        (
            {
                "_default_method_index": 1,
                "context_settings": [context({"variable_methods": {"x": 5}}, COLUMNS)],
            },
            True,
        ),
    ],
)
def test_values_that_are_imputed_by_chance(settings: Any, free: bool) -> None:
    data = chain(node("Impute", settings))
    assert "imputed" in opaque(data, "Impute")
    assert is_free(reading(data).dataflow.operators["Impute"]) is free


def test_preprocessors_and_learners_may_choose() -> None:
    busy = node("Preprocess", {"storedsettings": {"preprocessors": [("randomize", {})]}})
    flow = reading(chain(busy, output="Preprocessed Data")).dataflow
    assert is_free(flow.operators["Preprocess"])
    boosting = "Orange.widgets.model.owgradientboosting.OWGBLearner"
    for seeded in (True, False):
        widget = node("GB", {"random_state": seeded}, boosting)
        flow = reading(ows([FILE, widget], [("File", "Data", "GB", "Data")])).dataflow
        assert is_free(flow.operators["GB.shown"])


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("c", False),
        ("'%s' % gauss(0, 1)", True),
        ("c.__hash__()", True),
        ("\uff47auss(0, 1)", True),  # the same to Python
        ("list(set(c))[0]", True),
        ("[v for v in {c, 'a'}][0]", True),
    ],
)
def test_formulas_with_chance(text: str, free: bool) -> None:
    for kind in ("ContinuousDescriptor", "StringDescriptor"):
        flow = reading(chain(constructor(formula("z", text, kind)))).dataflow
        operator = flow.operators["Feature Constructor"]
        assert (isinstance(operator, TableUdf) and is_free(operator)) is free


def test_widgets_that_do_nothing() -> None:
    leaving = node("Impute", {"_default_method_index": 1})
    assert len(result(chain(leaving))) == len(ROWS)
    assert "imputed" in opaque(chain(node("Impute", {"_default_method_index": 2})), "Impute")
    own = context({"_variable_imputation_state": ({("x", "y"): (3, ())}, -4)}, COLUMNS)
    some = node("Impute", {"_default_method_index": 1, "context_settings": [own]})
    assert "imputed" in opaque(chain(some), "Impute")
    idle = node("Preprocess", {"storedsettings": {"name": "", "preprocessors": []}})
    assert len(result(chain(idle, output="Preprocessed Data"))) == len(ROWS)
    busy = node("Preprocess", {"storedsettings": {"preprocessors": [("x", {})]}})
    assert "applied" in opaque(chain(busy, output="Preprocessed Data"), "Preprocess")


def test_what_is_picked_in_a_table_is_opaque_and_shown_rows_are_not() -> None:
    picked = {"stored_selection": {"rows": [1], "columns": [0]}}
    flows = [
        reading(
            ows(
                [FILE, node("T", settings, "Data Table"), node("Result", {}, "Data Table")],
                [("File", "Data", "T", "Data"), ("T", "Selected Data", "Result", "Data")],
            )
        ).dataflow
        for settings in ({}, {"selected_rows": [], "__version__": 2}, picked)
    ]
    none, empty, some = (flow.operators["T.Selected Data"] for flow in flows)
    assert none == empty
    assert none != some
    assert flows[0].inputs["T: result"] == ("File",)


def test_files_written_know_their_roles_if_they_are_annotated() -> None:
    for annotated, names in ((False, 2), (True, 3)):
        saved = {"stored_name": "out.csv", "add_type_annotations": annotated}
        data = ows(
            [FILE, select_columns(HINTS), node("Save Data", saved)],
            [
                ("File", "Data", "Select Columns", "Data"),
                ("Select Columns", "Data", "Save Data", "Data"),
            ],
        )
        flow = reading(data).dataflow
        (sink,) = (o for o in flow.operators.values() if isinstance(o, Sink))
        assert sink.target == "out.csv"
        assert len(flow.schemas["out.csv: result"].names) == names


# -- sources ---------------------------------------------------------------------------------------


def source_of(*nodes: tuple[str, str, Any]) -> Source:
    data = ows(
        [*nodes, node("Result", {}, "Data Table")], [(nodes[0][0], "Data", "Result", "Data")]
    )
    flow = reading(data, "").dataflow
    (source,) = (o for o in flow.operators.values() if isinstance(o, Source))
    return source


def test_sources_are_known_by_their_files() -> None:
    assert source_of(FILE).table == "a.csv"
    own = {"recent_paths": [recent_path("iris.tab", "sample-datasets")]}
    assert source_of(node("File", own)).table == "sample-datasets/iris.tab"
    installed = {"recent_files": ["C:\\Orange\\Orange\\datasets\\iris.tab"]}
    assert source_of(node("File", installed)).table == "sample-datasets/iris.tab"
    address = {"source": 1, "recent_urls": ["http://x.org/a.csv", "http://x.org/b.csv"]}
    assert source_of(node("File", address)).table == "http://x.org/a.csv"
    assert source_of(node("Datasets", {"selected_id": ["core", "zoo.tab"]})).table == "core/zoo.tab"
    items = {"_session_items_v2": [({"abspath": "/d/a.csv"}, {"encoding": "utf-8"})]}
    read = source_of(node("CSV File Import", items))
    assert (read.table, read.options) == ("/d/a.csv", (("encoding", '"utf-8"'),))


def file_with(*variables: tuple[str, str, int]) -> bytes:
    editor = [[name, variable(kind), place, "", True] for name, kind, place in variables]
    saved = context({"domain_editor": {"variables": editor}}, {"x": 2}, {"c": 3})
    saved.attributes, saved.class_vars, saved.metas = (("x", 2),), (), (("c", 3),)
    settings = {"recent_paths": [recent_path("a.csv", "basedir")], "context_settings": [saved]}
    return ows(
        [node("File", settings), node("Result", {}, "Data Table")],
        [("File", "Data", "Result", "Data")],
    )


def test_columns_that_were_seen_in_a_file_are_typed() -> None:
    flow = reading(file_with(("x", "Continuous", 0), ("c", "String", 2)), "").dataflow
    (source,) = (o for o in flow.operators.values() if isinstance(o, Source))
    assert {f.name: f.type for f in source.fields} == {
        "x": DOUBLE,
        "c": STRING,
        OTHER_COLUMNS: STRING,
    }
    assert flow.inputs["Result: result"][0] == "File"


@pytest.mark.parametrize(
    "variables",
    [
        [("y", "Continuous", 0), ("c", "String", 2)],
        [("x", "Discrete", 0), ("c", "String", 2)],
        [("x", "Continuous", 1), ("c", "String", 2)],
        [("x", "Continuous", 3), ("c", "String", 2)],
    ],
)
def test_columns_that_were_edited_in_a_file_are_another_table(variables: Any) -> None:
    flow = reading(file_with(*variables), "").dataflow
    assert any(isinstance(o, TableUdf) for o in flow.operators.values())
