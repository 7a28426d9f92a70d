"""Columns: how they are named, selected, added, renamed and dropped."""

from pyspark.sql import functions as F
from pyspark.sql.functions import col, expr, lit


def select_strings(spark):
    return spark.table("people").select("id", "name", "age")


def select_list(spark):
    return spark.table("people").select(["id", "name"])


def select_cols(spark):
    return spark.table("people").select(col("id"), F.col("name"))


def select_attributes(spark):
    people = spark.table("people")
    return people.select(people.id, people["name"], people[2])


def select_star(spark):
    return spark.table("people").select("*")


def select_star_and_more(spark):
    return spark.table("people").select("*", (col("age") + 1).alias("next"))


def select_col_star(spark):
    return spark.table("people").select(col("*"), lit(1))


def select_frame_star(spark):
    people = spark.table("people")
    return people.select(people["*"])


def select_table_star(spark):
    return spark.table("people").select("people.*")


def select_alias_star(spark):
    return spark.table("people").alias("p").select("p.*", "p.id")


def select_qualified(spark):
    return spark.table("people").select("people.id", col("people.name"))


def select_other_case(spark):
    return spark.table("people").select("ID", "Name", "aGe")


def select_other_case_attribute(spark):
    people = spark.table("people")
    return people.select(people["ID"], people["NAME"])


def select_other_case_alias(spark):
    return spark.table("people").select(col("ID").alias("Id"), col("NAME").alias("the Name"))


def select_backticks(spark):
    return spark.table("people").select("`id`", col("`name`"), "people.`age`")


def select_duplicate_names(spark):
    return spark.table("people").select("id", "id", col("name").alias("id"))


def select_nothing_named(spark):
    return spark.table("people").select(col("age") + 1, col("age") * 2 - col("id"), -col("age"))


def select_expr_strings(spark):
    return spark.table("people").selectExpr("id", "age + 1", "upper(name) AS big", "age / 2 half")


def select_expr_star(spark):
    return spark.table("people").selectExpr("*", "id % 2 = 0 AS even")


def select_expr_many(spark):
    return spark.table("people").selectExpr(
        "CAST(age AS STRING)",
        "age IS NULL",
        "CASE WHEN age > 3 THEN 'x' END",
        "coalesce(age, 0)",
        "name LIKE 'A%'",
        "age BETWEEN 1 AND 3",
        "city IN ('a', 'b')",
        "NOT active",
        "name || city",
        "id::string",
        "IF(active, 1, 2)",
    )


def select_expr_struct_star(spark):
    return spark.table("events").selectExpr("id", "place.*")


def expr_in_select(spark):
    return spark.table("people").select(expr("age * 2"), expr("age * 2 AS twice"), "id")


def expr_with_alias(spark):
    return spark.table("people").select(expr("age * 2").alias("x"), expr("length(name)"))


def alias_of_alias(spark):
    return spark.table("people").select(col("id").alias("a").alias("b"))


def named_by_name(spark):
    return spark.table("people").select(col("id").name("a"))


def alias_metadata(spark):
    return spark.table("people").select(col("id").alias("a", metadata={"note": "x"}))


def names_of_arithmetic(spark):
    n = spark.table("numbers")
    return n.select(n.i + n.l, n.i - 1, 2 * n.d, n.m / 3, n.i % 2, -n.d, 1 - n.i, 10 / n.d)


def names_of_comparisons(spark):
    n = spark.table("numbers")
    return n.select(
        n.i == 1, n.i != 2, n.i < n.l, n.d >= 1.5, n.t.eqNullSafe("x"), ~(n.i > 3), n.t == lit("y")
    )


def names_of_logic(spark):
    p = spark.table("people")
    return p.select(p.active & (p.age > 3), p.active | p.age.isNull(), ~p.active)


def names_of_casts(spark):
    n = spark.table("numbers")
    return n.select(
        n.i.cast("string"),
        n.i.cast("double").alias("x"),
        n.t.cast("int"),
        n.d.astype("decimal(10,2)"),
        n.dt.cast("timestamp"),
        n.i.try_cast("tinyint"),
    )


def cast_by_type(spark):
    from pyspark.sql import types as T

    n = spark.table("numbers")
    return n.select(
        n.i.cast(T.LongType()), n.m.cast(T.DecimalType(20, 5)), n.i.cast(T.StringType())
    )


def cast_to_nested(spark):
    return spark.table("orders").select(col("tags").cast("array<int>"))


def names_of_literals(spark):
    return spark.table("people").select(
        lit(1), lit("x"), lit(1.5), lit(True), lit(None), lit(10**12), lit("it's")
    )


def literals_of_dates(spark):
    import datetime
    from decimal import Decimal

    return spark.table("people").select(
        lit(datetime.date(2024, 1, 5)).alias("a"),
        lit(datetime.datetime(2024, 1, 5, 10, 30)).alias("b"),
        lit(Decimal("12.50")).alias("c"),
        lit(datetime.timedelta(days=1, hours=2)).alias("d"),
        lit(b"ab").alias("e"),
    )


def names_of_dates_literals(spark):
    import datetime
    from decimal import Decimal

    return spark.table("people").select(
        lit(datetime.date(2024, 1, 5)), lit(Decimal("12.50")), lit(datetime.datetime(2024, 1, 5))
    )


def literal_list(spark):
    return spark.table("people").select(lit([1, 2, 3]).alias("l"))


def literal_special_floats(spark):
    return spark.table("people").select(lit(float("nan")).alias("n"), lit(float("inf")).alias("i"))


def names_of_when(spark):
    p = spark.table("people")
    return p.select(
        F.when(p.age > 30, "old"),
        F.when(p.age > 30, "old").otherwise("young"),
        F.when(p.age > 30, 1).when(p.age > 20, 2).otherwise(p.age),
    )


def when_of_types(spark):
    n = spark.table("numbers")
    return n.select(
        F.when(n.i > 1, n.i).otherwise(n.d).alias("a"),
        F.when(n.i > 1, n.m).otherwise(n.i).alias("b"),
        F.when(n.i > 1, lit(None)).otherwise(n.t).alias("c"),
        F.when(n.i > 1, n.b).when(n.i > 2, n.l).alias("d"),
    )


def names_of_predicates(spark):
    p = spark.table("people")
    return p.select(
        p.name.isNull(),
        p.name.isNotNull(),
        p.name.like("A%"),
        p.name.rlike("^A"),
        p.name.ilike("a%"),
        p.name.startswith("A"),
        p.name.endswith("z"),
        p.name.contains("b"),
        p.age.between(1, 5),
        p.city.isin("a", "b"),
        p.city.isin(["a", "b"]),
        p.score.isNaN(),
    )


def isin_one(spark):
    return spark.table("people").filter(col("age").isin(1))


def isin_empty(spark):
    return spark.table("people").filter(col("age").isin([]))


def isin_columns(spark):
    p = spark.table("people")
    return p.filter(p.age.isin(p.id, 3))


def isin_set(spark):
    return spark.table("people").filter(col("city").isin({"a"}))


def not_isin(spark):
    return spark.table("people").where(~col("city").isin("a", "b"))


def substr_of(spark):
    p = spark.table("people")
    return p.select(p.name.substr(1, 2), p.name.substr(lit(2), F.length("name")).alias("rest"))


def bitwise(spark):
    n = spark.table("numbers")
    return n.select(n.i.bitwiseAND(3), n.i.bitwiseOR(n.l), n.i.bitwiseXOR(1), F.bitwise_not("i"))


def power_operator(spark):
    n = spark.table("numbers")
    return n.select(n.i**2, 2**n.i)


def with_column(spark):
    return spark.table("people").withColumn("next", col("age") + 1)


def with_column_replaces(spark):
    return spark.table("people").withColumn("age", col("age") + 1)


def with_column_replaces_other_case(spark):
    return spark.table("people").withColumn("AGE", col("age") + 1)


def with_column_chain(spark):
    return (
        spark.table("people")
        .withColumn("a", col("age") + 1)
        .withColumn("b", col("a") * 2)
        .withColumn("a", col("b") - col("a"))
        .withColumn("c", lit("x"))
    )


def with_columns(spark):
    p = spark.table("people")
    return p.withColumns({"a": p.age + 1, "b": F.upper(p.name), "age": lit(0)})


def with_columns_not_seeing_each_other(spark):
    return spark.table("people").withColumns({"age": col("age") + 1, "was": col("age")})


def with_column_self(spark):
    p = spark.table("people")
    return p.withColumn("name", F.trim(p.name)).withColumn("name", F.lower(F.col("name")))


def with_column_ancestor(spark):
    p = spark.table("people")
    q = p.withColumn("x", p.age + 1)
    return q.withColumn("y", p.age + q.x)


def with_column_duplicate(spark):
    p = spark.table("people").select("id", col("age").alias("id"))
    return p.withColumn("id", lit(1))


def renamed(spark):
    return spark.table("people").withColumnRenamed("age", "years")


def renamed_missing(spark):
    return spark.table("people").withColumnRenamed("nothing", "years")


def renamed_other_case(spark):
    return spark.table("people").withColumnRenamed("AGE", "years")


def renamed_chain(spark):
    return (
        spark.table("people")
        .withColumnRenamed("age", "years")
        .withColumnRenamed("years", "old")
        .withColumnRenamed("name", "age")
    )


def renamed_many(spark):
    return spark.table("people").withColumnsRenamed({"age": "years", "name": "called", "zz": "q"})


def renamed_swap(spark):
    return spark.table("people").select("age", "id").withColumnsRenamed({"age": "x", "id": "age"})


def renamed_to_existing(spark):
    return spark.table("people").withColumnRenamed("age", "id").select("name")


def renamed_in_loop(spark):
    df = spark.table("sales")
    for name in df.columns:
        df = df.withColumnRenamed(name, name.upper())
    return df


def selected_in_loop(spark):
    df = spark.table("sales")
    return df.select([col(c).alias(f"s_{c}") for c in df.columns if c != "ok"])


def by_dtypes(spark):
    df = spark.table("numbers")
    return df.select([F.coalesce(col(c), lit(0)).alias(c) for c, t in df.dtypes if t == "int"])


def by_schema(spark):
    df = spark.table("numbers")
    texts = [f.name for f in df.schema.fields if f.dataType.simpleString() == "string"]
    for name in texts:
        df = df.withColumn(name, F.trim(col(name)))
    return df


def drop_one(spark):
    return spark.table("people").drop("age")


def drop_many(spark):
    return spark.table("people").drop("age", "name", "nothing")


def drop_other_case(spark):
    return spark.table("people").drop("AGE")


def drop_column(spark):
    p = spark.table("people")
    return p.drop(p.age)


def drop_col(spark):
    return spark.table("people").drop(col("age"))


def drop_cols(spark):
    p = spark.table("people")
    return p.drop(p.age, p["name"])


def drop_missing_column(spark):
    return spark.table("people").drop(col("nothing"))


def drop_ancestor_column(spark):
    p = spark.table("people")
    q = p.select("id", "age")
    return q.drop(p.age)


def drop_all(spark):
    p = spark.table("people").select("id", "name")
    return p.drop(*[c for c in p.columns if c.startswith("n")])


def to_df(spark):
    return spark.table("cities").toDF("a", "b", "c", "d")


def to_df_list(spark):
    df = spark.table("cities")
    return df.toDF(*[c.upper() for c in df.columns])


def to_df_after_join(spark):
    p, o = spark.table("people").select("id", "name"), spark.table("orders").select("order_id")
    return p.crossJoin(o).toDF("x", "y", "z").filter("z > x")


def to_schema(spark):
    from pyspark.sql import types as T

    schema = T.StructType(
        [T.StructField("name", T.StringType()), T.StructField("age", T.LongType())]
    )
    return spark.table("people").to(schema)


def col_regex(spark):
    df = spark.table("people")
    return df.select(df.colRegex("`(age|name)`"))


def col_regex_prefix(spark):
    df = spark.table("sales")
    return df.select(df.colRegex("`p.*`"), "year")


def col_regex_except(spark):
    df = spark.table("sales")
    return df.select(df.colRegex("`(?!year)q.*`"))


def filter_string(spark):
    return spark.table("people").filter("age > 3 AND name IS NOT NULL")


def filter_column(spark):
    return spark.table("people").filter(col("age") > 3)


def filter_attribute(spark):
    p = spark.table("people")
    return p.filter(p.age > 3).filter(p["name"] != "x").where(p.active)


def filter_after_select(spark):
    p = spark.table("people")
    return p.select("id", "name").filter(p.age > 3)


def filter_after_select_string(spark):
    return spark.table("people").select("id", "name").filter("age > 3")


def filter_after_select_col(spark):
    return spark.table("people").select("id").filter(col("age") > 3).filter(col("city") == "x")


def order_after_select(spark):
    p = spark.table("people")
    return p.select("name").orderBy(p.age.desc())


def order_after_select_col(spark):
    return spark.table("people").select("name").orderBy("age", "id")


def order_after_group(spark):
    return spark.table("people").groupBy("city").agg(F.count("*").alias("n")).orderBy(F.desc("n"))


def order_after_distinct(spark):
    return spark.table("people").select("city").distinct().orderBy("city")


def filter_alias_of_replaced(spark):
    p = spark.table("people")
    q = p.withColumn("age", p.age + 1)
    return q.filter(q.age > 3)


def filter_original_of_replaced(spark):
    p = spark.table("people")
    q = p.select((p.age + 1).alias("next"), "id")
    return q.filter(p.id > 3)


def ancestor_in_select(spark):
    p = spark.table("people")
    q = p.filter(p.age > 3)
    return q.select(p.name, q.age)


def ancestor_far(spark):
    p = spark.table("people")
    q = p.filter("age > 1").withColumn("x", lit(1)).drop("score").distinct()
    return q.select(p.name, p.id, "x")


def sibling_reference(spark):
    p = spark.table("people")
    q = p.filter("age > 3")
    return q.orderBy(p["age"], q["name"])


def filter_true(spark):
    return spark.table("people").filter(lit(True))


def filter_null(spark):
    return spark.table("people").filter(lit(None).cast("boolean"))


def getitem_filter(spark):
    p = spark.table("people")
    return p[p.age > 3]


def getitem_list(spark):
    p = spark.table("people")
    return p[["id", "name"]]


def getattr_chain(spark):
    return spark.table("people").filter("id > 1").select("id", "name").where("name = 'x'")


def transform_frame(spark):
    def adults(df):
        return df.filter(col("age") >= 18)

    def tagged(df, tag):
        return df.withColumn("tag", lit(tag))

    return spark.table("people").transform(adults).transform(tagged, "x")


def transform_lambda(spark):
    return spark.table("people").transform(lambda df: df.select("id").limit(3))


def try_and_if(spark):
    df = spark.table("people")
    if "age" in df.columns and df.schema["age"].dataType.typeName() == "integer":
        df = df.withColumn("age", col("age").cast("long"))
    return df


def metadata_of_alias(spark):
    return spark.table("people").withMetadata("age", {"unit": "years"})


def self_alias(spark):
    return spark.table("people").alias("p").filter("p.age > 3").select(col("p.name").alias("n"))


def alias_shadows(spark):
    return spark.table("people").alias("a").select("id", "name").alias("b").select("b.id")


def alias_kept_by_filter(spark):
    return spark.table("people").alias("p").filter("age > 1").orderBy("p.id").select("p.*")


def alias_quoted(spark):
    return spark.table("people").alias("my p").select("`my p`.id")


def column_with_dot(spark):
    df = spark.table("people").select(col("id").alias("a.b"), col("name").alias("c d"))
    return df.select("`a.b`", col("`c d`")).filter("`a.b` > 1")


def column_with_dot_attribute(spark):
    df = spark.table("people").select(col("id").alias("a.b"))
    return df.withColumn("x", df["`a.b`"] + 1)


def case_of_later_reference(spark):
    df = spark.table("people").select(col("id").alias("PersonId"))
    return df.filter("personid > 1").select("PERSONID")


def lateral_alias(spark):
    return spark.table("people").select((col("age") + 1).alias("a"), (col("a") * 2).alias("b"))


def lateral_alias_sql(spark):
    return spark.table("people").selectExpr("age + 1 AS a", "a * 2 AS b", "b - a AS c")


def lateral_alias_hidden(spark):
    return spark.table("people").select((col("age") + 1).alias("age"), (col("age") * 2).alias("b"))
