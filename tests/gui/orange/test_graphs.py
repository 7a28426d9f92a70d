"""Files as graphs: what is kept of them, and what is not."""

from __future__ import annotations

import pickle

import pytest

from tests.gui.orange.ows_files import context, node, ows, recent_path
from veer.errors import ParseError, UnsupportedError, VeerError
from veer.gui.orange.graph import read_ows

FILE = {"recent_paths": [recent_path("a.csv", "basedir")], "source": 0}
LINK = ("File", "Data", "Data Table", "Data")


def test_layout_and_numbers_of_nodes_do_not_count() -> None:
    plain = ows([node("File", FILE), node("Data Table")], [LINK])
    looks = {"savedWidgetGeometry": b"\x01", "auto_commit": False, "color_by_class": True}
    other = ows(
        [node("Data Table", looks), node("File", {**FILE, "controlAreaVisible": False})],
        [LINK],
        first_id=7,
    )
    assert dict(read_ows(plain).nodes) == dict(read_ows(other).nodes)


def test_literals_and_pickles_say_the_same() -> None:
    settings = {"a": (1, 2.5), "b": {("x", 1): {"z", "y"}}, "c": None, "d": float("inf")}
    texts = [ows([node("Tree", settings)], [], pickled=pickled) for pickled in (True,)]
    literal = {**settings, "d": 1}
    texts.append(ows([node("Tree", literal)], [], pickled=False))
    one, two = (dict(read_ows(text).nodes["Tree"].settings) for text in texts)
    assert one.pop("d") == {"number": "inf"}
    assert two.pop("d") == 1
    assert one == two


def test_a_setting_that_is_not_known_stays() -> None:
    graph = read_ows(ows([node("PCA", {"maxp": 3, "auto_apply": True, "new": 1})], []))
    assert graph.nodes["PCA"].settings == {"maxp": 3, "new": 1}


def test_learners_are_called_like_their_widgets_unless_they_have_a_name() -> None:
    graph = read_ows(ows([node("A", {}, "Tree"), node("B", {"learner_name": "C"}, "Tree")], []))
    assert graph.nodes["A"].settings == {"(title)": "A"}
    assert graph.nodes["B"].settings == {"learner_name": "C"}


def test_contexts_forget_when_they_were_used() -> None:
    saved = {"context_settings": [context({"conditions": []}, {"a": 2})]}
    (settings,) = (n.settings for n in read_ows(ows([node("Tree", saved)], [])).nodes.values())
    assert settings["context_settings"] == [
        {"values": {"conditions": []}, "attributes": {"a": 2}, "metas": {}}
    ]


def test_links_that_are_off_and_tables_without_input_are_left_out() -> None:
    graph = read_ows(
        ows(
            [node("File", FILE), node("Data Table"), node("T", kind="Data Table")],
            [LINK, ("File", "Data", "T", "Data", False)],
        )
    )
    assert set(graph.nodes) == {"File", "Data Table"}


def test_titles_are_made_unique() -> None:
    graph = read_ows(
        ows([node("A", FILE, "File"), node("B", {}, "Tree")], []).replace(
            b'title="B"', b'title="A"'
        )
    )
    assert set(graph.nodes) == {"A [OWFile]", "A [OWTreeLearner]"}


def test_old_names_are_the_same_widgets() -> None:
    new = ows([node("File", FILE), node("Data Table")], [LINK])
    old = new.replace(b"owtable.OWTable", b"owtable.OWDataTable")
    assert dict(read_ows(new).nodes) == dict(read_ows(old).nodes)


# -- hostile input ---------------------------------------------------------------------------------


class _Caller:
    """Would call something when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return eval, ("1/0",)


def test_nothing_of_a_pickle_is_run() -> None:
    graph = read_ows(ows([node("PCA", {"x": _Caller()})], []))
    assert graph.nodes["PCA"].settings == {"x": {"class": "builtins.eval", "args": ["1/0"]}}


def _bomb() -> bytes:
    """Few bytes that spell a tree of 10**30 lists."""
    layer: list[object] = []
    for _ in range(30):
        layer = [layer] * 10
    return pickle.dumps({"x": layer})


def _nested(depth: int) -> bytes:
    return b"\x80\x04}\x8c\x01x" + b"]" * depth + b"a" * (depth - 1) + b"s."


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        b"no pickle",
        b"\x80\x04.",
        b"\x80\x04K\x01.",
        b"\x80\x04N}b.",
        b"\x80\x04\x82\x01.",
        b"\x80\x04h\x05.",
        b"(.",
        b"S'\\",
        _bomb(),
        _nested(100_000),
        pickle.dumps([1]),
        pickle.dumps({"x": 1})[:-3],
    ],
)
def test_wrong_pickles_are_refused_by_the_name_of_their_node(blob: bytes) -> None:
    text = ows([("My tree", "Tree", blob or b" ")], [])
    with pytest.raises(ParseError, match=r"\AMy tree: [^\n]*\Z"):
        read_ows(text)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "[" * 5_000,
        "(" * 150 + ")" * 150,
        "{[]: 1}",
        "1" * 5_000,
        "-" * 100_000 + "1",
        "-" * 300_000 + "1",
        "[" + "1," * 300_000 + "]",
        "[1]",
    ],
)
def test_literals_are_not_run(text: str) -> None:
    data = ows([node("My tree", {}, "Tree")], [], pickled=False).replace(
        b">{}<", f">{text}<".encode()
    )
    with pytest.raises(ParseError, match=r"\AMy tree: [^\n]*\Z"):
        read_ows(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<scheme",
        b"<other/>",
        b'<scheme version="1.0"/>',
        b'<scheme version="2.0"/>',
        b'<scheme version="2.0"><nodes><node/></nodes></scheme>',
        b'<scheme version="2.0"><nodes><node id="1"/></nodes></scheme>',
        b'<!DOCTYPE x [<!ENTITY a "b">]><scheme version="2.0">&a;</scheme>',
        ows([node("File", FILE)], []).replace(b"</links>", b'<link source_node_id="9"/></links>'),
        ows([node("File", FILE)], []).replace(b'node_id="0"', b'node_id="5"'),
        ows(
            [node("A", {}, "Tree"), node("B", {}, "Tree")],
            [("A", "x", "B", "y"), ("B", "x", "A", "y")],
        ),
    ],
)
def test_wrong_files_are_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(VeerError, match=r"\A[^\n]+\Z"):
        read_ows(data)


def test_files_of_orange_2_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="Orange 2"):
        read_ows(b"<schema/>")


def test_cut_and_changed_files_never_crash() -> None:
    saved = {
        "context_settings": [context({"conditions": [("a", 2, 4, [1.0])]}, {"a": 2})],
        "__version__": 2,
    }
    data = ows(
        [node("File", FILE), node("Select Rows", saved), node("Data Table")],
        [
            ("File", "Data", "Select Rows", "Data"),
            ("Select Rows", "Matching Data", "Data Table", "Data"),
        ],
    )
    for place in range(0, len(data), 7):
        for changed in (
            data[:place],
            data[:place] + b"Q" + data[place + 1 :],
            data[:place] + data[place + 5 :],
        ):
            try:
                read_ows(changed)
            except VeerError as error:
                assert "\n" not in str(error)
