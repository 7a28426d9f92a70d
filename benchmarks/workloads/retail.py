"""W1 to W4: TPC-DS queries 40, 18, 71 and 33 as a GUI would hold them.

Sequences of filters stand for what SQL joins with AND, a sort for ORDER BY. A fan-out, several
links leaving one operator, is what the paper's table counts as a Replicate.
"""

from __future__ import annotations

from typing import Any

from benchmarks.support.tpcds import catalog
from benchmarks.workloads.flow import Flow

# Primary and foreign keys as the TPC-DS specification gives them; types come from the extension.
KEYS = {
    "catalog_sales": ("cs_item_sk", "cs_order_number"),
    "catalog_returns": ("cr_item_sk", "cr_order_number"),
    "store_sales": ("ss_item_sk", "ss_ticket_number"),
    "web_sales": ("ws_item_sk", "ws_order_number"),
    "warehouse": ("w_warehouse_sk",),
    "item": ("i_item_sk",),
    "date_dim": ("d_date_sk",),
    "time_dim": ("t_time_sk",),
    "customer": ("c_customer_sk",),
    "customer_address": ("ca_address_sk",),
    "customer_demographics": ("cd_demo_sk",),
}
REFERENCES = {
    "cs_item_sk": "item",
    "cs_warehouse_sk": "warehouse",
    "cs_sold_date_sk": "date_dim",
    "cs_sold_time_sk": "time_dim",
    "cs_bill_customer_sk": "customer",
    "cs_bill_cdemo_sk": "customer_demographics",
    "cs_bill_addr_sk": "customer_address",
    "cr_item_sk": "item",
    "ss_item_sk": "item",
    "ss_sold_date_sk": "date_dim",
    "ss_sold_time_sk": "time_dim",
    "ss_addr_sk": "customer_address",
    "ws_item_sk": "item",
    "ws_sold_date_sk": "date_dim",
    "ws_sold_time_sk": "time_dim",
    "ws_bill_addr_sk": "customer_address",
    "c_current_cdemo_sk": "customer_demographics",
    "c_current_addr_sk": "customer_address",
}
YEAR_1998 = (2450815, 2451179)  # d_date_sk of the first and the last day
MAY_1998 = (2450935, 2450965)


def source(flow: Flow, table: str, columns: str, id_: str = "", tables: str = "") -> None:
    """A TPC-DS table, of which only some columns are read; `tables` are those it may refer to."""
    names = columns.split()
    fields = {f.name: str(f.type) for f in catalog()[table].fields}
    keys = KEYS[table]
    properties: dict[str, Any] = {"table": table} if id_ else {}
    properties["columns"] = {n: fields[n] + (" not null" if n in keys else "") for n in names}
    properties["keys"] = [list(keys) if len(keys) > 1 else keys[0]]
    foreign = [
        {"columns": [n], "table": REFERENCES[n], "references": list(KEYS[REFERENCES[n]])}
        for n in names
        if REFERENCES.get(n) in tables.split()
    ]
    if foreign:
        properties["foreign_keys"] = foreign
    flow.add(id_ or table, "source", **properties)


def w1() -> dict[str, Flow]:
    """Sales before and after a price change, by state and item."""
    p = Flow(
        "w1", "W1, base version: TPC-DS Q40, sales before and after a date, by state and item."
    )
    source(
        p,
        "catalog_sales",
        "cs_item_sk cs_order_number cs_sold_date_sk cs_warehouse_sk cs_sales_price",
        tables="item date_dim warehouse",
    )
    source(p, "catalog_returns", "cr_item_sk cr_order_number cr_refunded_cash", tables="item")
    source(p, "warehouse", "w_warehouse_sk w_state")
    source(p, "item", "i_item_sk i_item_id i_current_price")
    source(p, "date_dim", "d_date_sk d_date")
    p.add(
        "returned",
        "join",
        "catalog_sales",
        "catalog_returns",
        kind="left",
        on="cs_order_number = cr_order_number AND cs_item_sk = cr_item_sk",
    )
    p.add("located", "join", "returned", "warehouse", on="cs_warehouse_sk = w_warehouse_sk")
    p.add("described", "join", "located", "item", on="cs_item_sk = i_item_sk")
    p.add("price_from", "filter", "described", predicate="i_current_price >= 0.99")
    p.add("price_to", "filter", "price_from", predicate="i_current_price <= 1.49")
    p.add("dated", "join", "price_to", "date_dim", on="cs_sold_date_sk = d_date_sk")
    p.add("date_from", "filter", "dated", predicate="d_date >= DATE '2000-02-10'")
    p.add("date_to", "filter", "date_from", predicate="d_date <= DATE '2000-04-10'")
    kept = "THEN cs_sales_price - coalesce(cr_refunded_cash, 0) ELSE 0 END"
    p.add(
        "parts",
        "project",
        "date_to",
        columns=[
            "w_state",
            "i_item_id",
            {"name": "before", "expression": f"CASE WHEN d_date < DATE '2000-03-11' {kept}"},
            {"name": "after", "expression": f"CASE WHEN d_date >= DATE '2000-03-11' {kept}"},
        ],
    )
    p.add(
        "totals",
        "aggregate",
        "parts",
        by=["w_state", "i_item_id"],
        calls={"sales_before": "sum(before)", "sales_after": "sum(after)"},
    )
    p.add("ordered", "sort", "totals", by=["w_state", "i_item_id"])
    p.add("report", "sink", "ordered")

    v2 = p.edited(
        "W1, version 2, equivalent: an empty projection after `located` (testEmptyProject);\n"
        "`price_from` pushed past the join to the items (testPushFilterPastJoin)."
    )
    v2.insert("empty", "project", "located", "described", columns=["*"])
    v2.move("price_from", "item", "described")

    v3 = p.edited(
        "W1, version 3, equivalent: a projection of what is needed pushed past the date filters\n"
        "(testPushProjectPastFilter); `price_from` and `price_to` exchanged."
    )
    needed = ["w_state", "i_item_id", "cs_sales_price", "cr_refunded_cash", "d_date"]
    v3.insert("needed", "project", "dated", "date_from", columns=needed)
    v3.move("price_from", "price_to", "dated")

    v4 = p.edited(
        "W1, version 4, equivalent: `price_to` merged into `price_from` (testMergeFilter);\n"
        "the inputs of the join with the dates exchanged (testSwapJoin)."
    )
    v4.remove("price_to")
    v4.change("price_from", predicate="i_current_price BETWEEN 0.99 AND 1.49")
    v4.swap("dated")

    v5 = p.edited(
        "W1, version 5, not equivalent: another upper price; max instead of sum of later sales."
    )
    v5.change("price_to", predicate="i_current_price <= 1.29")
    # The type of the column stays what it was with sum.
    v5.change(
        "totals",
        calls={"sales_before": "sum(before)", "sales_after": "max(CAST(after AS decimal(23,2)))"},
    )

    versions = {"v1": p, "v2": v2, "v3": v3, "v4": v4, "v5": v5}
    flow, notes = p, []
    steps = (
        "an empty projection after `price_to`",
        "`date_to` pushed past the join to the dates",
        "`price_from` pushed past the join to the items",
        "the predicate of `date_from` written with NOT",
    )
    for number, step in enumerate(steps, 1):
        notes.append(step)
        flow = flow.edited(f"W1 with changes, {number}, equivalent: {'; '.join(notes)}.")
        match number:
            case 1:
                flow.insert("empty", "project", "price_to", "dated", columns=["*"])
            case 2:
                flow.move("date_to", "date_dim", "dated")
            case 3:
                flow.move("price_from", "item", "described")
            case 4:
                flow.change("date_from", predicate="NOT d_date < DATE '2000-02-10'")
        versions[f"changes_{number}"] = flow
    return versions


def w2() -> dict[str, Flow]:
    """Averages over what some customers bought, by item and region."""
    p = Flow(
        "w2",
        "W2, base version: TPC-DS Q18, averages over what some customers bought.\n"
        "The year is a range of date keys instead of a join with date_dim, groups are not rolled "
        "up. `customer_demographics` fans out to the buyer's and the current demographics.",
    )
    source(
        p,
        "catalog_sales",
        "cs_item_sk cs_order_number cs_sold_date_sk cs_bill_customer_sk cs_bill_cdemo_sk "
        "cs_quantity cs_list_price cs_sales_price cs_coupon_amt cs_net_profit",
        tables="item customer customer_demographics",
    )
    source(
        p,
        "customer_demographics",
        "cd_demo_sk cd_gender cd_education_status cd_dep_count",
    )
    source(
        p,
        "customer",
        "c_customer_sk c_current_cdemo_sk c_current_addr_sk c_birth_month c_birth_year",
        tables="customer_demographics customer_address",
    )
    source(p, "customer_address", "ca_address_sk ca_county ca_state ca_country")
    source(p, "item", "i_item_sk i_item_id")
    p.add("date_from", "filter", "catalog_sales", predicate=f"cs_sold_date_sk >= {YEAR_1998[0]}")
    p.add("date_to", "filter", "date_from", predicate=f"cs_sold_date_sk <= {YEAR_1998[1]}")
    p.add(
        "demographics",
        "join",
        "date_to",
        "customer_demographics",
        on="cs_bill_cdemo_sk = cd_demo_sk",
    )
    p.add("bought", "join", "demographics", "customer", on="cs_bill_customer_sk = c_customer_sk")
    p.add(
        "current",
        "project",
        "customer_demographics",
        columns=[{"name": "current_demo_sk", "expression": "cd_demo_sk"}],
    )
    p.add("known", "join", "bought", "current", on="c_current_cdemo_sk = current_demo_sk")
    p.add("addressed", "join", "known", "customer_address", on="c_current_addr_sk = ca_address_sk")
    p.add("described", "join", "addressed", "item", on="cs_item_sk = i_item_sk")
    p.add("gender", "filter", "described", predicate="cd_gender = 'F'")
    p.add("education", "filter", "gender", predicate="cd_education_status = 'Unknown'")
    months = "c_birth_month IN (1, 6, 8, 9, 12, 2)"
    p.add("birth_month", "filter", "education", predicate=months)
    states = ("MS", "IN", "ND", "OK", "NM", "VA")
    p.add("state", "filter", "birth_month", predicate=f"ca_state IN {states}")
    averaged = {
        "agg1": "cs_quantity",
        "agg2": "cs_list_price",
        "agg3": "cs_coupon_amt",
        "agg4": "cs_sales_price",
        "agg5": "cs_net_profit",
        "agg6": "c_birth_year",
        "agg7": "cd_dep_count",
    }
    calls = {n: f"avg(CAST({column} AS decimal(12,2)))" for n, column in averaged.items()}
    groups = ["i_item_id", "ca_country", "ca_state", "ca_county"]
    order = ["ca_country", "ca_state", "ca_county", "i_item_id"]
    p.add("averages", "aggregate", "state", by=groups, calls=calls)
    p.add("ordered", "sort", "averages", by=order)
    p.add("report", "sink", "ordered")

    v2 = p.edited(
        "W2, version 2, equivalent: empty projections after `addressed` and before `averages`\n"
        "(testEmptyProject)."
    )
    v2.insert("empty_1", "project", "addressed", "described", columns=["*"])
    v2.insert("empty_2", "project", "state", "averages", columns=["*"])

    v3 = p.edited(
        "W2, version 3, equivalent: `gender` pushed past the join with the items, `state` past\n"
        "two joins to the addresses (testPushFilterPastJoin)."
    )
    v3.move("gender", "addressed", "described")
    v3.move("state", "customer_address", "addressed")

    v4 = p.edited(
        "W2, version 4, equivalent: `education` merged into `gender` (testMergeFilter);\n"
        "`birth_month` pushed past the join with the items (testPushFilterPastJoin)."
    )
    v4.remove("education")
    v4.change("gender", predicate="cd_gender = 'F' AND cd_education_status = 'Unknown'")
    v4.move("birth_month", "addressed", "described")

    v5 = p.edited(
        "W2, version 5, equivalent: a projection of what is needed pushed past all filters\n"
        "(testPushProjectPastFilter); `date_from` and `date_to` exchanged."
    )
    needed = [
        *groups,
        *averaged.values(),
        "cd_gender",
        "cd_education_status",
        "c_birth_month",
    ]
    v5.insert("needed", "project", "described", "gender", columns=needed)
    v5.move("date_from", "date_to", "demographics")

    v6 = p.edited(
        "W2, version 6, equivalent: `state` pulled past the aggregate, which groups by it\n"
        "(testPushFilterPastAgg, backwards); the predicate of `education` written with NOT."
    )
    v6.move("state", "averages", "ordered")
    v6.change("education", predicate="NOT cd_education_status <> 'Unknown'")

    v7 = p.edited(
        "W2, version 7, equivalent: the inputs of the join with the items exchanged\n"
        "(testSwapJoin); the predicate of `birth_month` written with OR."
    )
    v7.swap("described")
    written = " OR ".join(f"c_birth_month = {month}" for month in (1, 2, 6, 8, 9, 12))
    v7.change("birth_month", predicate=written)

    v8 = p.edited(
        "W2, version 8, equivalent: `date_to` merged into `date_from` (testMergeFilter);\n"
        "`birth_month` pushed past four joins to the customers (testPushFilterPastJoin)."
    )
    v8.remove("date_to")
    v8.change("date_from", predicate=f"cs_sold_date_sk BETWEEN {YEAR_1998[0]} AND {YEAR_1998[1]}")
    v8.move("birth_month", "customer", "bought")

    v9 = p.edited("W2, version 9, not equivalent: other birth months; max of the coupons.")
    v9.change("birth_month", predicate="c_birth_month IN (1, 6, 8, 9, 12)")
    # The type of the column stays what it was with avg.
    v9.change("averages", calls={**calls, "agg3": "max(CAST(cs_coupon_amt AS decimal(16,6)))"})

    versions = {"v1": p}
    versions |= {f"v{n}": v for n, v in enumerate((v2, v3, v4, v5, v6, v7, v8, v9), 2)}
    versions |= _w2_hops(p) | _w2_sizes(p, states, order)
    return versions


def _w2_hops(p: Flow) -> dict[str, Flow]:
    """Two empty projections with 0 to 3 filters between them."""
    versions = {}
    chain = ("described", "gender", "education", "birth_month", "state")
    for hops in range(4):
        flow = p.edited(
            f"W2 with two edits {hops} hops apart, equivalent: empty projections before `gender`\n"
            f"and after {hops} of the filters."
        )
        flow.insert("empty_1", "project", "described", "gender", columns=["*"])
        above = chain[hops] if hops else "empty_1"
        flow.insert("empty_2", "project", above, chain[hops + 1], columns=["*"])
        versions[f"hops_{hops}"] = flow
    return versions


def _w2_sizes(p: Flow, states: tuple[str, ...], order: list[str]) -> dict[str, Flow]:
    """Bases of 22 to 25 operators, and of each a version with two edits."""
    supported: list[tuple[str, str, dict[str, Any]]] = [
        ("some", "filter", {"predicate": "cs_quantity > 0"}),
        ("all_1", "project", {"columns": ["*"]}),
        ("priced", "filter", {"predicate": "cs_list_price >= 1.00"}),
        ("all_2", "project", {"columns": ["*"]}),
        ("sold", "filter", {"predicate": "cs_sales_price >= 1.00"}),
    ]
    unsupported: list[tuple[str, str, dict[str, Any]]] = [
        ("top", "limit", {"count": 100}),
        (
            "region",
            "udf",
            {"function": "region-of-state", "reads": ["ca_state"], "adds": {"region": "string"}},
        ),
        ("by_region", "sort", {"by": ["region", *order]}),
        (
            "label",
            "udf",
            {"function": "label-of-item", "reads": ["i_item_id"], "adds": {"label": "string"}},
        ),
        ("by_label", "sort", {"by": ["label", "region", *order]}),
    ]
    versions = {}
    for kind, extra, above, below in (
        ("supported", supported, "state", "averages"),
        ("unsupported", unsupported, "ordered", "report"),
    ):
        for size in (22, 23, 24, 25):
            base = p.edited(f"W2 with {kind} operators added, {size} operators: base version.")
            last = above
            for id_, type_, properties in extra[: size - len(p.operators)]:
                base.insert(id_, type_, last, below, **properties)
                last = id_
            flow = base.edited(
                f"W2 with {kind} operators added, {size} operators, equivalent: `gender` pushed\n"
                "past the join with the items (testPushFilterPastJoin); `state` written with OR."
            )
            flow.move("gender", "addressed", "described")
            flow.change("state", predicate=" OR ".join(f"ca_state = '{s}'" for s in states))
            versions[f"{kind}_{size}_base"] = base
            versions[f"{kind}_{size}"] = flow
    return versions


def w3() -> dict[str, Flow]:
    """Sales of a month at meal times, by brand, hour and minute, over three channels."""
    p = Flow(
        "w3",
        "W3, base version: TPC-DS Q71, sales of a month at meal times over three channels.\n"
        "`date_dim` fans out to two channels, the third reads it again: one Replicate.",
    )
    channels = {"web": "ws", "catalog": "cs", "store": "ss"}
    for channel, prefix in channels.items():
        number = "ticket_number" if channel == "store" else "order_number"
        columns = f"item_sk {number} sold_date_sk sold_time_sk ext_sales_price".split()
        source(
            p,
            f"{channel}_sales",
            " ".join(f"{prefix}_{c}" for c in columns),
            tables="item date_dim time_dim",
        )
    dates = "d_date_sk d_year d_moy"
    source(p, "date_dim", dates)
    source(p, "date_dim", dates, "date_dim_store")
    source(p, "item", "i_item_sk i_brand_id i_brand i_manager_id")
    source(p, "time_dim", "t_time_sk t_hour t_minute t_meal_time")
    november = "d_moy = 11 AND d_year = 1999"
    for channel, prefix in channels.items():
        days = "date_dim_store" if channel == "store" else "date_dim"
        p.add(
            f"{channel}_dated",
            "join",
            f"{channel}_sales",
            days,
            on=f"{prefix}_sold_date_sk = d_date_sk",
        )
        p.add(f"{channel}_november", "filter", f"{channel}_dated", predicate=november)
        p.add(
            f"{channel}_part",
            "project",
            f"{channel}_november",
            columns={
                "ext_price": f"{prefix}_ext_sales_price",
                "sold_item_sk": f"{prefix}_item_sk",
                "time_sk": f"{prefix}_sold_time_sk",
            },
        )
    p.add("all_sales", "union", *(f"{channel}_part" for channel in channels))
    p.add("described", "join", "all_sales", "item", on="sold_item_sk = i_item_sk")
    p.add("timed", "join", "described", "time_dim", on="time_sk = t_time_sk")
    meals = "(t_meal_time = 'breakfast' OR t_meal_time = 'dinner')"
    p.add("wanted", "filter", "timed", predicate=f"i_manager_id = 1 AND {meals}")
    p.add(
        "totals",
        "aggregate",
        "wanted",
        by=[
            {"name": "brand_id", "expression": "i_brand_id"},
            {"name": "brand", "expression": "i_brand"},
            "t_hour",
            "t_minute",
        ],
        calls={"ext_price": "sum(ext_price)"},
    )
    p.add("ordered", "sort", "totals", by=["ext_price desc nulls first", "brand_id", "t_hour"])
    p.add("report", "sink", "ordered")

    v2 = p.edited(
        "W3, version 2, equivalent: `web_november` pushed past the join to the dates\n"
        "(testPushFilterPastJoin); an empty projection after the union (testEmptyProject)."
    )
    v2.move("web_november", "date_dim", "web_dated")
    v2.insert("empty", "project", "all_sales", "described", columns=["*"])

    v3 = p.edited(
        "W3, version 3, equivalent: a projection pushed past `store_november`\n"
        "(testPushProjectPastFilter); the manager of `wanted` pushed to the items\n"
        "(testPushFilterPastJoin)."
    )
    needed = ["ss_ext_sales_price", "ss_item_sk", "ss_sold_time_sk", "d_moy", "d_year"]
    v3.insert("needed", "project", "store_dated", "store_november", columns=needed)
    v3.change("wanted", predicate=meals)
    v3.insert("manager", "filter", "item", "described", predicate="i_manager_id = 1")

    v4 = p.edited(
        "W3, version 4, not equivalent: another month in the web channel; max instead of sum."
    )
    v4.change("web_november", predicate="d_moy = 12 AND d_year = 1999")
    # The type of the column stays what it was with sum.
    v4.change("totals", calls={"ext_price": "max(CAST(ext_price AS decimal(17,2)))"})

    three = p.edited(
        "W3 with three edits, equivalent: an empty projection after the union;\n"
        "`web_november` and `catalog_november` pushed past their joins to the dates\n"
        "(testPushFilterPastJoin)."
    )
    three.insert("empty", "project", "all_sales", "described", columns=["*"])
    three.move("web_november", "date_dim", "web_dated")
    three.move("catalog_november", "date_dim", "catalog_dated")
    return {"v1": p, "v2": v2, "v3": v3, "v4": v4, "three_edits": three}


def w4() -> dict[str, Flow]:
    """Sales of a month by manufacturer of a category, over three channels."""
    p = Flow(
        "w4",
        "W4, base version: TPC-DS Q33, sales of manufacturers of electronics over three channels.\n"
        "The month is a range of date keys instead of a join with date_dim; IN is a semi join.\n"
        "`eastern`, `item` and `manufacturers` fan out: three Replicates. The manufacturer decides "
        "between equal sales, so that the limit is no choice.",
    )
    channels = {"store": "ss", "catalog": "cs", "web": "ws"}
    for channel, prefix in channels.items():
        number = "ticket_number" if channel == "store" else "order_number"
        address = "addr_sk" if channel == "store" else "bill_addr_sk"
        columns = f"item_sk {number} sold_date_sk {address} ext_sales_price".split()
        source(
            p,
            f"{channel}_sales",
            " ".join(f"{prefix}_{c}" for c in columns),
            tables="item customer_address",
        )
    source(p, "customer_address", "ca_address_sk ca_gmt_offset")
    source(p, "item", "i_item_sk i_manufact_id i_category")
    p.add("eastern", "filter", "customer_address", predicate="ca_gmt_offset = -5")
    p.add("electronics", "filter", "item", predicate="i_category = 'Electronics'")
    p.add(
        "manufacturers",
        "project",
        "electronics",
        columns=[{"name": "manufact_id", "expression": "i_manufact_id"}],
    )
    for channel, prefix in channels.items():
        address = "addr_sk" if channel == "store" else "bill_addr_sk"
        p.add(
            f"{channel}_addressed",
            "join",
            f"{channel}_sales",
            "eastern",
            on=f"{prefix}_{address} = ca_address_sk",
        )
        p.add(
            f"{channel}_may",
            "filter",
            f"{channel}_addressed",
            predicate=f"{prefix}_sold_date_sk BETWEEN {MAY_1998[0]} AND {MAY_1998[1]}",
        )
        p.add(
            f"{channel}_described",
            "join",
            f"{channel}_may",
            "item",
            on=f"{prefix}_item_sk = i_item_sk",
        )
        p.add(
            f"{channel}_wanted",
            "join",
            f"{channel}_described",
            "manufacturers",
            kind="semi",
            on="i_manufact_id = manufact_id",
        )
        p.add(
            f"{channel}_totals",
            "aggregate",
            f"{channel}_wanted",
            by=["i_manufact_id"],
            calls={"total_sales": f"sum({prefix}_ext_sales_price)"},
        )
    p.add("all_sales", "union", *(f"{channel}_totals" for channel in channels))
    p.add(
        "totals",
        "aggregate",
        "all_sales",
        by=["i_manufact_id"],
        calls={"total_sales": "sum(total_sales)"},
    )
    p.add("ordered", "sort", "totals", by=["total_sales", "i_manufact_id"])
    p.add("top", "limit", "ordered", count=100)
    p.add("report", "sink", "top")

    v2 = p.edited(
        "W4, version 2, equivalent: `catalog_may` pushed past the join to the sales\n"
        "(testPushFilterPastJoin); an empty projection before `web_described` (testEmptyProject)."
    )
    v2.move("catalog_may", "catalog_sales", "catalog_addressed")
    v2.insert("empty", "project", "web_may", "web_described", columns=["*"])

    v3 = p.edited(
        "W4, version 3, not equivalent: two weeks instead of a month in the web channel;\n"
        "max instead of sum in the catalog channel."
    )
    v3.change("web_may", predicate=f"ws_sold_date_sk BETWEEN {MAY_1998[0]} AND {MAY_1998[0] + 13}")
    # The type of the column stays what it was with sum.
    v3.change(
        "catalog_totals", calls={"total_sales": "max(CAST(cs_ext_sales_price AS decimal(17,2)))"}
    )
    return {"v1": p, "v2": v2, "v3": v3}
