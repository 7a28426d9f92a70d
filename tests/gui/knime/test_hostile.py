"""Files that are not what they claim: one line, never another exception."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import pytest

from tests.gui.knime.building import (
    CSV_READER,
    CSV_WRITER,
    RULES,
    Flow,
    csv_reader,
    csv_writer,
    rules,
    xml,
)
from veer.errors import InputError
from veer.gui.knime.front_end import read
from veer.read.inputs import Input, ReadOptions


def good() -> Flow:
    flow = Flow().add(1, CSV_READER, csv_reader("t.csv", {"a": "int", "b": "string"}))
    flow.add(2, RULES, rules('$a$ > 1 => "x"', append="r"), 1)
    return flow.add(3, CSV_WRITER, csv_writer("out.csv"), 2, ports=0)


def refused(path: Path) -> str:
    with pytest.raises(InputError) as error:
        read(Input(str(path), str(path)), ReadOptions())
    message = str(error.value)
    assert message and "\n" not in message
    return message


def archive(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return path


def with_file(tmp_path: Path, name: str, text: str) -> Path:
    files = {f"flow/{n}": t for n, t in good().files().items()}
    return archive(tmp_path / "bad.knwf", {**files, name: text})


def test_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "x.knwf"
    path.write_bytes(b"\0" * 1000)
    assert "zip" in refused(path)


def test_what_is_inside_is_named(tmp_path: Path) -> None:
    assert "workflow.knime" in refused(archive(tmp_path / "a.knwf", {"x/y.txt": ""}))
    message = refused(with_file(tmp_path, "flow/RuleEngine (#2)/settings.xml", "<config"))
    assert "RuleEngine (#2)" in message
    assert "2 workflows" in refused(
        with_file(tmp_path, "other/workflow.knime", good().files()["workflow.knime"])
    )
    files = {f"flow/{n}": t for n, t in good().files().items() if "RuleEngine" not in n}
    assert "node #2" in refused(archive(tmp_path / "b.knwf", files))


def test_encrypted(tmp_path: Path) -> None:
    flow = good().metanode(5, Flow())
    files = {f"flow/{n}": t for n, t in flow.files().items()}
    del files["flow/Part (#5)/workflow.knime"]
    files["flow/Part (#5)/workflow.knime.encrypted"] = "x"
    assert "Part (#5) is encrypted" in refused(archive(tmp_path / "a.knwf", files))


@pytest.mark.parametrize(
    "text",
    [
        xml("workflow.knime", {"version": "1.3.0", "nodes": {}, "connections": {}}),
        xml("workflow.knime", {"version": "x", "nodes": {}, "connections": {}}),
        xml("workflow.knime", {"version": "5.1.0", "nodes": {}, "connections": {}}),
        xml("workflow.knime", {"version": "5.1.0", "nodes": {"node_1": {"id": "x"}}}),
        xml("workflow.knime", {"version": "5.1.0", "nodes": {"node_1": 5}}),
        '<!DOCTYPE x [<!ENTITY a "b">]><config>&a;</config>',
        "<config>" * 500 + "</config>" * 500,
        "<other/>",
    ],
)
def test_bad_workflow_file(tmp_path: Path, text: str) -> None:
    refused(with_file(tmp_path, "flow/workflow.knime", text))


def test_paths_that_lead_out(tmp_path: Path) -> None:
    text = good().files()["workflow.knime"].replace("RuleEngine (#2)", "../../etc")
    refused(with_file(tmp_path, "flow/workflow.knime", text))


def test_circles(tmp_path: Path) -> None:
    refused(good().link(2, 1, 2, 2).save(tmp_path / "a.knwf"))
    inside = Flow().link(-1, 0, -1, 0)
    flow = good().metanode(5, inside).link(5, 0, 5, 0).link(5, 0, 3, 2)
    refused(flow.save(tmp_path / "b.knwf"))


def test_connection_to_nowhere(tmp_path: Path) -> None:
    assert "99" in refused(good().link(99, 1, 2, 2).save(tmp_path / "a.knwf"))


def test_flipped_bytes(tmp_path: Path) -> None:
    """Read, or refused."""
    chance = random.Random(7)
    files = {f"flow/{n}": t for n, t in good().files().items()}
    for _ in range(150):
        name = chance.choice(sorted(files))
        data = bytearray(files[name].encode())
        for _ in range(chance.choice((1, 3, 20))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.3:
            del data[chance.randrange(len(data)) :]
        path = tmp_path / "x.knwf"
        with zipfile.ZipFile(path, "w") as made:
            for other, text in files.items():
                made.writestr(other, bytes(data) if other == name else text.encode())
        try:
            read(Input(str(path), str(path)), ReadOptions())
        except InputError as error:
            assert "\n" not in str(error)


def test_cut_archives(tmp_path: Path) -> None:
    data = good().save(tmp_path / "good.knwf").read_bytes()
    chance = random.Random(3)
    path = tmp_path / "x.knwf"
    for _ in range(80):
        changed = bytearray(data[: chance.randrange(len(data))])
        for _ in range(chance.randrange(4)):
            if changed:
                changed[chance.randrange(len(changed))] = chance.randrange(256)
        path.write_bytes(bytes(changed))
        try:
            read(Input(str(path), str(path)), ReadOptions())
        except InputError as error:
            assert "\n" not in str(error)


def test_deep_formulas_stay_opaque(tmp_path: Path) -> None:
    flow = good()
    flow.add(2, RULES, rules("(" * 5000 + "$a$ > 1" + ")" * 5000 + ' => "x"', append="r"))
    path = flow.save(tmp_path / "a.knwf")
    assert read(Input(str(path), str(path)), ReadOptions()).dataflow.sinks
