"""Alteryx documents for tests, in the form Designer writes."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

PLUGINS = {
    "ToolContainer": "AlteryxGuiToolkit.ToolContainer.ToolContainer",
    "Action": "AlteryxGuiToolkit.Action.Action",
    "Question": "AlteryxGuiToolkit.Questions.TextBox.TextBox",
    "Summarize": "AlteryxSpatialPluginsGui.Summarize.Summarize",
}


def tool(
    id_: int,
    kind: str,
    configuration: str = "",
    *,
    columns: Sequence[tuple[str, str]] = (),
    children: Sequence[str] = (),
    macro: str = "",
    annotation: str = "",
    attributes: str = "",
) -> str:
    """A tool; `columns` are what the last run remembers of its output."""
    plugin = PLUGINS.get(kind, f"AlteryxBasePluginsGui.{kind}.{kind}")
    fields = "".join(f"<Field name={quoteattr(n)} type={quoteattr(t)} />" for n, t in columns)
    meta = f'<MetaInfo connection="Output"><RecordInfo>{fields}</RecordInfo></MetaInfo>'
    inside = f"<ChildNodes>{''.join(children)}</ChildNodes>" if children else ""
    engine = f"<EngineSettings Macro={quoteattr(macro)} />" if macro else ""
    gui = f"<GuiSettings Plugin={quoteattr(plugin)}>" if not macro else "<GuiSettings>"
    return f"""
    <Node ToolID="{id_}">
      {gui}<Position x="{id_ * 54}" y="54" /></GuiSettings>
      <Properties>
        <Configuration{attributes}>{configuration}</Configuration>
        <Annotation DisplayMode="0"><Name>{escape(annotation)}</Name></Annotation>
        {meta if columns else ""}
      </Properties>
      {engine}{inside}
    </Node>"""


def document(tools: Sequence[str], wires: Sequence[str], properties: str = "") -> bytes:
    """A document; a wire is `1.Output > 2.Input` or `1.Output > 2.Input #1`."""
    connections = ""
    for wire in wires:
        origin, _, destination = wire.partition(" > ")
        target, _, name = destination.partition(" ")
        named = f' name="{name}"' if name else ""
        (a, x), (b, y) = origin.split("."), target.split(".")
        connections += f"""
    <Connection{named}>
      <Origin ToolID="{a}" Connection="{x}" />
      <Destination ToolID="{b}" Connection="{y}" />
    </Connection>"""
    return f"""<?xml version="1.0"?>
<AlteryxDocument yxmdVer="2022.1">
  <Nodes>{"".join(tools)}
  </Nodes>
  <Connections>{connections}
  </Connections>
  <Properties>{properties}</Properties>
</AlteryxDocument>
""".encode()


def source(id_: int, path: str, columns: Sequence[tuple[str, str]] = (), **file: str) -> str:
    """Input Data."""
    said = "".join(f" {name}={quoteattr(value)}" for name, value in file.items())
    config = f'<Passwords /><File FileFormat="0"{said}>{escape(path)}</File>'
    return tool(id_, "DbFileInput", config, columns=columns)


def browse(id_: int) -> str:
    """Browse, with the temporary file of a run."""
    return tool(id_, "BrowseV2", f"<TempFile>C:\\Temp\\Engine_{id_}.yxdb</TempFile>")


def where(id_: int, formula: str) -> str:
    """Filter by a formula."""
    return tool(id_, "Filter", f"<Expression>{escape(formula)}</Expression><Mode>Custom</Mode>")


def computed(id_: int, *fields: tuple[str, str, str, str]) -> str:
    """Formula: names, types, sizes and formulas."""
    listed = "".join(
        f"<FormulaField field={quoteattr(n)} type={quoteattr(t)} size={quoteattr(s)} "
        f"expression={quoteattr(f)} />"
        for n, t, s, f in fields
    )
    return tool(id_, "Formula", f"<FormulaFields>{listed}</FormulaFields>")


def text_input(id_: int, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Text Input."""
    fields = "".join(f"<Field name={quoteattr(n)} />" for n in names)
    data = "".join(f"<r>{''.join(f'<c>{escape(c)}</c>' for c in row)}</r>" for row in rows)
    config = f'<NumRows value="{len(rows)}" /><Fields>{fields}</Fields><Data>{data}</Data>'
    return tool(id_, "TextInput", config)


def totals(id_: int, *fields: tuple[str, str, str]) -> str:
    """Summarize: columns, actions, names."""
    listed = "".join(
        f"<SummarizeField field={quoteattr(f)} action={quoteattr(a)} rename={quoteattr(n)} />"
        for f, a, n in fields
    )
    return tool(id_, "Summarize", f"<SummarizeFields>{listed}</SummarizeFields>")


def select(*fields: str, order: bool = False) -> str:
    """The list of a Select: attributes of its entries."""
    listed = "".join(f"<SelectField {f} />" for f in fields)
    return (
        f'<OrderChanged value="{order}" /><CommaDecimal value="False" />'
        f"<SelectFields>{listed}</SelectFields>"
    )


def join(id_: int, left: str, right: str, *fields: str) -> str:
    """Join by one column of each side."""
    keys = "".join(
        f'<JoinInfo connection="{side}"><Field field={quoteattr(name)} /></JoinInfo>'
        for side, name in (("Left", left), ("Right", right))
    )
    chosen = f'<Configuration outputConnection="Join">{select(*fields)}</Configuration>'
    config = f"{keys}<SelectConfiguration>{chosen}</SelectConfiguration>"
    return tool(id_, "Join", config, attributes=' joinByRecordPos="False"')
