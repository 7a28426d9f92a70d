"""Rows: sets, duplicates, nulls, order, limits, given rows, partitions."""

import datetime
from decimal import Decimal

from pyspark.sql import Row, Window, functions as F
from pyspark.sql.functions import col, lit


def union(spark):
    return (
        spark.table("people")
        .select("id", "name")
        .union(spark.table("cities").select("population", "city"))
    )


def union_all(spark):
    p = spark.table("people").select("id")
    return p.unionAll(p)


def union_widens(spark):
    n = spark.table("numbers")
    return n.select("i").union(n.select("d")).union(n.select("m")).union(n.select("l"))


def union_text_and_number(spark):
    n = spark.table("numbers")
    return n.select(col("i").alias("x")).union(n.select(col("t")))


def union_with_null(spark):
    p = spark.table("people")
    return p.select("id", "name").union(p.select("id", lit(None)))


def union_by_name(spark):
    p = spark.table("people")
    return p.select("id", "name").unionByName(p.select("name", "id"))


def union_by_name_other_case(spark):
    p = spark.table("people")
    return p.select("id", "name").unionByName(
        p.select(col("name").alias("NAME"), col("id").alias("ID"))
    )


def union_by_name_missing(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.select("id", "city").unionByName(c, allowMissingColumns=True)


def union_by_name_missing_both(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.unionByName(o.select("order_id", "day"), allowMissingColumns=True)


def union_by_name_missing_struct(spark):
    a = spark.table("people").select(F.struct("id", "name").alias("s"))
    b = spark.table("people").select(F.struct("id", "age").alias("s"))
    return a.unionByName(b, allowMissingColumns=True)


def union_in_loop(spark):
    p = spark.table("people").select("id", "age")
    df = p.filter("age = 0")
    for n in range(1, 4):
        df = df.union(p.filter(col("age") == n).withColumn("age", lit(n)))
    return df


def union_reference(spark):
    a, b = spark.table("people").select("id"), spark.table("people").select("id")
    u = a.union(b)
    return u.filter(u.id > 3).select(a.id)


def reduce_union(spark):
    from functools import reduce

    p = spark.table("people")
    parts = [p.filter(f"age = {n}") for n in range(3)]
    return reduce(lambda a, b: a.unionByName(b), parts)


def intersect(spark):
    return spark.table("people").select("id").intersect(spark.table("events").select("id"))


def intersect_all(spark):
    return spark.table("people").select("id").intersectAll(spark.table("events").select("id"))


def subtract(spark):
    return spark.table("people").select("city").subtract(spark.table("cities").select("city"))


def except_all(spark):
    return spark.table("people").select("city").exceptAll(spark.table("cities").select("city"))


def set_of_types(spark):
    return spark.table("people").select("age").intersect(spark.table("people").select("id"))


def distinct(spark):
    return spark.table("people").select("city", "active").distinct()


def drop_duplicates(spark):
    return spark.table("people").dropDuplicates()


def drop_duplicates_keys(spark):
    return spark.table("people").dropDuplicates(["city", "active"])


def drop_duplicates_other_case(spark):
    return spark.table("people").dropDuplicates(["CITY"])


def drop_duplicates_snake(spark):
    return spark.table("people").drop_duplicates(["city"])


def drop_duplicates_of_join(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city").dropDuplicates(["id"])


def order_by_names(spark):
    return spark.table("people").orderBy("city", "age")


def order_by_directions(spark):
    return spark.table("people").orderBy("city", "age", ascending=[False, True])


def order_by_descending(spark):
    return spark.table("people").orderBy("age", ascending=False)


def sort_columns(spark):
    p = spark.table("people")
    return p.sort(p.age.desc(), F.asc("name"), col("id").asc_nulls_last())


def sort_list(spark):
    return spark.table("people").sort(["city", "id"], ascending=False)


def sort_functions(spark):
    return spark.table("people").orderBy(
        F.desc_nulls_first("age"), F.asc_nulls_first("name"), F.desc_nulls_last("id")
    )


def sort_expression(spark):
    return spark.table("people").orderBy(F.length("name").desc(), col("age") % 3)


def sort_ordinal(spark):
    return spark.table("people").select("name", "age").orderBy(2, F.desc("name"))


def sort_ordinal_zero(spark):
    return spark.table("people").select("name", "age").orderBy(lit(1))


def sort_within(spark):
    return spark.table("people").repartition("city").sortWithinPartitions("age")


def limit(spark):
    return spark.table("people").orderBy("id").limit(10)


def offset(spark):
    return spark.table("people").orderBy("id").offset(5).limit(3)


def limit_of_limit(spark):
    return spark.table("people").orderBy("id").limit(10).limit(3)


def tail_free_limit(spark):
    return spark.table("people").limit(0)


def repartition(spark):
    return spark.table("people").repartition(4).coalesce(1)


def repartition_columns(spark):
    return spark.table("people").repartition(4, "city", col("age"))


def repartition_range(spark):
    return spark.table("people").repartitionByRange(2, "age", F.desc("id"))


def hints(spark):
    return spark.table("people").hint("broadcast").hint("repartition", 3)


def cache(spark):
    df = spark.table("people").filter("age > 3").cache()
    return df.select("id").persist()


def checkpoint_free(spark):
    df = spark.table("people").filter("age > 3")
    df.unpersist()
    return df


def observe(spark):
    from pyspark.sql import Observation

    seen = Observation("seen")
    return spark.table("people").observe(seen, F.count(lit(1)).alias("n"), F.max("age"))


def observe_by_name(spark):
    return spark.table("people").observe("seen", F.count(lit(1)).alias("n")).filter("age > 1")


def sample(spark):
    return spark.table("people").sample(0.5, seed=3)


def sample_fraction(spark):
    return spark.table("people").sample(fraction=0.1, seed=1)


def sample_by(spark):
    return spark.table("people").sampleBy("city", {"a": 0.5}, seed=1)


def random_split(spark):
    first, _ = spark.table("people").randomSplit([0.8, 0.2], seed=1)
    return first


def fillna_number(spark):
    return spark.table("people").fillna(0)


def fillna_text(spark):
    return spark.table("people").fillna("?")


def fillna_bool(spark):
    return spark.table("people").fillna(False)


def fillna_float(spark):
    return spark.table("people").fillna(1.5)


def fillna_subset(spark):
    return spark.table("people").fillna(0, subset=["age"])


def fillna_subset_string(spark):
    return spark.table("people").fillna(0, subset="age")


def fillna_subset_tuple(spark):
    return spark.table("people").na.fill("x", ("name", "city"))


def fillna_dict(spark):
    return spark.table("people").fillna({"age": 7, "name": "none", "active": False})


def fillna_dict_other_case(spark):
    return spark.table("people").na.fill({"AGE": 7})


def fillna_types(spark):
    return spark.table("numbers").fillna(3)


def fillna_types_float(spark):
    return spark.table("numbers").fillna(2.7)


def fillna_after_join(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city", "left").fillna({"population": 0, "country": "?"})


def dropna(spark):
    return spark.table("people").dropna()


def dropna_all(spark):
    return spark.table("people").dropna("all")


def dropna_subset(spark):
    return spark.table("people").dropna(subset=["name", "score"])


def dropna_thresh(spark):
    return spark.table("people").na.drop(thresh=3)


def dropna_thresh_subset(spark):
    return spark.table("people").na.drop(thresh=1, subset=["score", "name"])


def dropna_subset_string(spark):
    return spark.table("people").na.drop(subset="age")


def dropna_all_subset(spark):
    return spark.table("people").dropna(how="all", subset=["age", "name"])


def replace_text(spark):
    return spark.table("people").replace("a", "b")


def replace_subset(spark):
    return spark.table("people").replace("a", "b", subset=["city"])


def replace_subset_string(spark):
    return spark.table("people").replace("a", "b", "city")


def replace_number(spark):
    return spark.table("people").replace(1, 2)


def replace_number_subset(spark):
    return spark.table("people").na.replace(1, 2, "age")


def replace_dict(spark):
    return spark.table("people").replace({"a": "b", "c": "d"}, subset=["city", "name"])


def replace_lists(spark):
    return spark.table("people").na.replace(["a", "c"], ["b", "d"], "city")


def replace_list_with_one(spark):
    return spark.table("people").replace([1, 2, 3], 0, ["age"])


def replace_with_null(spark):
    return spark.table("people").replace({"": None}, subset=["name"])


def replace_to_null(spark):
    return spark.table("people").na.replace("", None, "name")


def replace_float(spark):
    return spark.table("people").replace(float("nan"), 0.0, "score")


def replace_bool(spark):
    return spark.table("people").replace(True, False)


def unpivot(spark):
    return spark.table("sales").unpivot(["region", "product"], ["year", "quarter"], "what", "value")


def unpivot_all(spark):
    return spark.table("sales").select("region", "year", "units").unpivot("region", None, "k", "v")


def unpivot_columns(spark):
    s = spark.table("sales")
    return s.unpivot(s.region, [s.units, (s.year + 1).alias("next")], "k", "v")


def unpivot_types(spark):
    return spark.table("numbers").unpivot("i", ["d", "l"], "k", "v")


def melt(spark):
    return spark.table("sales").melt(["region"], ["units", "year"], "k", "v")


def melt_one(spark):
    return spark.table("sales").melt("region", "units", "k", "v")


def numbers_range(spark):
    return spark.range(10)


def numbers_range_step(spark):
    return spark.range(1, 10, 3).withColumn("x", col("id") * 2)


def numbers_range_join(spark):
    return spark.range(3).join(spark.table("people").select("id", "name"), "id", "left")


def numbers_range_names(spark):
    return spark.range(0, 5).select(col("id").cast("int").alias("n"), F.lit("a"))


def rows_tuples(spark):
    return spark.createDataFrame([(1, "a"), (2, None)], ["id", "name"])


def rows_ddl(spark):
    return spark.createDataFrame([(1, "a", 2.5)], "id INT, name STRING, x DOUBLE")


def rows_ddl_not_null(spark):
    return spark.createDataFrame([(1, "a")], "id INT NOT NULL, name STRING")


def rows_struct_type(spark):
    from pyspark.sql.types import IntegerType, StringType, StructField, StructType

    schema = StructType(
        [StructField("id", IntegerType(), False), StructField("name", StringType(), True)]
    )
    return spark.createDataFrame([(1, "a"), (2, "b")], schema)


def rows_dicts(spark):
    return spark.createDataFrame([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}])


def rows_rows(spark):
    return spark.createDataFrame([Row(id=1, name="a", x=1.5), Row(id=2, name="b", x=None)])


def rows_row_class(spark):
    person = Row("id", "name")
    return spark.createDataFrame([person(1, "a"), person(2, "b")])


def rows_inferred_types(spark):
    return spark.createDataFrame(
        [
            (
                1,
                2.5,
                True,
                "x",
                datetime.date(2024, 1, 1),
                datetime.datetime(2024, 1, 1, 2, 3),
                Decimal("1.50"),
                b"ab",
            )
        ],
        ["a", "b", "c", "d", "e", "f", "g", "h"],
    )


def rows_nested(spark):
    return spark.createDataFrame(
        [(1, ["a", "b"], {"k": 1}, (1, "x"))],
        "id INT, l ARRAY<STRING>, m MAP<STRING, INT>, s STRUCT<a: INT, b: STRING>",
    )


def rows_single_type(spark):
    return spark.createDataFrame([1, 2, 3], "int")


def rows_single_column(spark):
    return spark.createDataFrame([("a",), ("b",)], ["city"]).join(spark.table("cities"), "city")


def rows_no_names(spark):
    return spark.createDataFrame([(1, "a"), (2, "b")])


def rows_empty(spark):
    return spark.createDataFrame([], "id INT, name STRING")


def rows_pandas(spark):
    import pandas as pd

    return spark.createDataFrame(pd.DataFrame({"id": [1, 2], "name": ["a", "b"]}))


def rows_pandas_schema(spark):
    import pandas as pd

    return spark.createDataFrame(pd.DataFrame({"id": [1, 2], "x": [1.5, 2.5]}), "id int, x float")


def rows_lookup(spark):
    grades = spark.createDataFrame([(0, "low"), (50, "high")], "least INT, grade STRING")
    p = spark.table("people")
    return p.join(grades, p.age >= grades.least, "left").select("id", "grade")


def rows_union_table(spark):
    extra = spark.createDataFrame([(0, "none")], "id BIGINT, name STRING")
    return spark.table("people").select("id", "name").union(extra)


def rows_lists(spark):
    return spark.createDataFrame([[1, "x"], [2, "y"]], schema=["a", "b"])


def rows_decimals(spark):
    return spark.createDataFrame([(Decimal("1.25"),), (None,)], "x DECIMAL(6,2)").select(
        col("x") * 2, F.sum("x").over(Window.partitionBy())
    )


def rows_times(spark):
    return spark.createDataFrame(
        [(datetime.datetime(2024, 5, 1, 12), datetime.date(2024, 5, 1))], "at TIMESTAMP, d DATE"
    ).select(F.to_date("at") == col("d"), F.hour("at"))


def rows_ntz(spark):
    return spark.createDataFrame([(datetime.datetime(2024, 5, 1, 12),)], "at TIMESTAMP_NTZ")


def empty_frame_union(spark):
    p = spark.table("people").select("id", "name")
    return spark.createDataFrame([], p.schema).union(p)


def schema_of_other(spark):
    p = spark.table("people")
    return spark.createDataFrame([], p.schema).unionByName(p)
