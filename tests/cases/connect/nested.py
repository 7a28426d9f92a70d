"""Arrays, maps, structs: fields, stars, generators, lambda functions."""

from pyspark.sql import functions as F
from pyspark.sql.functions import col, expr, lit


def field_by_dot(spark):
    return spark.table("events").select("id", "place.city", col("place.lat"))


def field_by_attribute(spark):
    e = spark.table("events")
    return e.select(e.place.city, e.place["lat"], e["place"]["lon"], e["place.city"])


def field_by_get_field(spark):
    return spark.table("events").select(col("place").getField("city"), col("place").getItem("lat"))


def field_other_case(spark):
    return spark.table("events").select("place.CITY", col("Place.Lat"))


def field_qualified(spark):
    return spark.table("events").alias("e").select("e.place.city")


def field_aliased(spark):
    return spark.table("events").select(col("place.city").alias("town"), "kind")


def field_filter(spark):
    return spark.table("events").filter(col("place.lat") > 1.0).filter("place.city IS NOT NULL")


def field_order(spark):
    return spark.table("events").orderBy("place.city", col("place")["lat"].desc())


def struct_star(spark):
    return spark.table("events").select("id", "place.*")


def struct_star_col(spark):
    return spark.table("events").select(col("place.*"))


def struct_made(spark):
    return spark.table("people").select(
        F.struct("id", "name").alias("s"), F.struct(col("age"), lit(1))
    )


def struct_star_of_made(spark):
    return (
        spark.table("people")
        .select(F.struct("id", col("name").alias("n")).alias("s"))
        .select("s.*")
    )


def struct_of_list(spark):
    df = spark.table("people")
    return df.select(F.struct([col(c) for c in ("id", "name")]).alias("s"))


def struct_of_expressions(spark):
    return spark.table("people").select(
        F.struct((col("age") + 1).alias("a"), F.upper("name"), lit("x").alias("b")).alias("s")
    )


def struct_of_star(spark):
    return spark.table("cities").select(F.struct("*").alias("s")).select("s.city", "s.population")


def named_struct(spark):
    return spark.table("people").select(F.named_struct(lit("a"), col("id"), lit("b"), col("name")))


def with_field(spark):
    return spark.table("events").select(col("place").withField("height", lit(1)).alias("place"))


def with_field_replaces(spark):
    return spark.table("events").withColumn(
        "place", col("place").withField("city", F.upper("place.city"))
    )


def drop_fields(spark):
    return spark.table("events").select(col("place").dropFields("lat", "lon").alias("p"))


def struct_compare(spark):
    return spark.table("events").filter(
        col("place")
        == F.struct(lit("a").alias("city"), lit(1.0).alias("lat"), lit(2.0).alias("lon"))
    )


def struct_is_null(spark):
    return spark.table("events").select(col("place").isNull(), col("place").isNotNull().alias("x"))


def struct_max(spark):
    return (
        spark.table("people")
        .groupBy("city")
        .agg(F.max(F.struct("age", "id")).alias("m"))
        .select("city", "m.id")
    )


def item_of_array(spark):
    o = spark.table("orders")
    return o.select(o.tags[0], o.tags.getItem(1), col("tags")[0].alias("first"), expr("tags[1]"))


def item_by_column(spark):
    o = spark.table("orders")
    return o.select(o.tags[o.quantity])


def item_of_map(spark):
    e = spark.table("events")
    return e.select(e.props["a"], e.props.getItem("b"), col("props.c"), expr("props['d']"))


def item_of_map_attribute(spark):
    e = spark.table("events")
    return e.select(e.props.color)


def field_of_array(spark):
    return spark.table("events").select("items.sku", col("items")["n"], col("items")[0]["sku"])


def element_at(spark):
    return spark.table("orders").select(
        F.element_at("tags", 1), F.get("tags", 0), F.try_element_at("tags", lit(-1))
    )


def array_made(spark):
    p = spark.table("people")
    return p.select(
        F.array("id", "age"), F.array(lit(1), lit(2)).alias("l"), F.array(), F.array("name", "city")
    )


def array_of_types(spark):
    n = spark.table("numbers")
    return n.select(
        F.array("i", "d").alias("a"), F.array("i", "m").alias("b"), F.array("b", "l").alias("c")
    )


def array_questions(spark):
    return spark.table("orders").select(
        F.size("tags"),
        F.array_contains("tags", "x"),
        F.array_position("tags", "x"),
        F.array_max("tags"),
        F.array_min("tags"),
        F.arrays_overlap("tags", F.array(lit("x"))),
        F.cardinality("tags"),
        F.array_size("tags"),
    )


def array_changes(spark):
    return spark.table("orders").select(
        F.array_distinct("tags"),
        F.sort_array("tags"),
        F.sort_array("tags", asc=False).alias("d"),
        F.array_sort("tags"),
        F.reverse("tags"),
        F.slice("tags", 1, 2),
        F.array_remove("tags", "x"),
        F.array_compact("tags"),
        F.array_append("tags", lit("z")),
        F.array_prepend("tags", lit("z")),
        F.array_repeat("status", 2),
        F.flatten(F.array("tags", "tags")),
    )


def array_sets(spark):
    o = spark.table("orders")
    other = F.array(lit("a"), lit("b"))
    return o.select(
        F.array_union("tags", other),
        F.array_intersect("tags", other),
        F.array_except("tags", other),
    )


def array_join(spark):
    return spark.table("orders").select(
        F.array_join("tags", ","),
        F.array_join("tags", ",", "?").alias("b"),
        F.concat_ws("-", "tags"),
    )


def array_concat(spark):
    return spark.table("orders").select(F.concat("tags", F.array(lit("z"))))


def array_zip(spark):
    return spark.table("orders").select(F.arrays_zip("tags", F.array(lit(1), lit(2)).alias("n")))


def sequence_of(spark):
    return spark.table("people").select(
        F.sequence(lit(1), "age"), F.sequence(lit(1), lit(9), lit(2))
    )


def map_made(spark):
    return spark.table("people").select(
        F.create_map("name", "age").alias("m"), F.create_map(lit("a"), lit(1), lit("b"), lit(2))
    )


def map_questions(spark):
    return spark.table("events").select(
        F.map_keys("props"),
        F.map_values("props"),
        F.map_contains_key("props", "a"),
        F.size("props"),
        F.element_at("props", "a"),
        F.map_entries("props"),
    )


def map_from(spark):
    return spark.table("orders").select(
        F.map_from_arrays("tags", "tags").alias("m"), F.map_concat(F.create_map(lit("a"), lit("b")))
    )


def explode_select(spark):
    return spark.table("orders").select("order_id", F.explode("tags"))


def explode_named(spark):
    return spark.table("orders").select("order_id", F.explode("tags").alias("tag"))


def explode_with_column(spark):
    return spark.table("orders").withColumn("tag", F.explode("tags"))


def explode_replaces(spark):
    return spark.table("orders").withColumn("tags", F.explode(col("tags")))


def explode_outer(spark):
    return spark.table("orders").select("order_id", F.explode_outer("tags").alias("tag"))


def explode_split(spark):
    return spark.table("people").select("id", F.explode(F.split("name", " ")).alias("word"))


def explode_then_group(spark):
    return (
        spark.table("orders")
        .select(F.explode("tags").alias("tag"))
        .groupBy("tag")
        .count()
        .orderBy(F.desc("count"))
    )


def explode_structs(spark):
    return (
        spark.table("events")
        .select("id", F.explode("items").alias("item"))
        .select("id", "item.sku", col("item.n").alias("n"))
    )


def explode_structs_star(spark):
    return spark.table("events").withColumn("item", F.explode_outer("items")).select("id", "item.*")


def explode_map(spark):
    return spark.table("events").select("id", F.explode("props"))


def explode_map_named(spark):
    return spark.table("events").select("id", F.explode("props").alias("k", "v"))


def explode_twice(spark):
    return (
        spark.table("events")
        .withColumn("item", F.explode("items"))
        .withColumn("prop", F.explode(F.map_keys("props")))
        .select("id", "item.n", "prop")
    )


def explode_and_star(spark):
    return spark.table("orders").select("*", F.explode("tags").alias("tag"))


def explode_expr(spark):
    return spark.table("orders").selectExpr("order_id", "explode(tags) AS tag")


def explode_in_middle(spark):
    return spark.table("orders").select("order_id", F.explode("tags").alias("tag"), "status")


def explode_array_of_columns(spark):
    return spark.table("people").select("id", F.explode(F.array("name", "city")).alias("text"))


def posexplode(spark):
    return spark.table("orders").select("order_id", F.posexplode("tags"))


def posexplode_named(spark):
    return spark.table("orders").select("order_id", F.posexplode("tags").alias("at", "tag"))


def posexplode_outer(spark):
    return spark.table("orders").select("order_id", F.posexplode_outer("tags"))


def posexplode_map(spark):
    return spark.table("events").select(F.posexplode("props"))


def inline(spark):
    return spark.table("events").select("id", F.inline("items"))


def inline_outer(spark):
    return spark.table("events").select("id", F.inline_outer("items"))


def stack(spark):
    return spark.table("sales").select(
        "region", F.stack(lit(2), lit("a"), col("units"), lit("b"), col("year"))
    )


def stack_expr(spark):
    return spark.table("sales").selectExpr("region", "stack(2, 'u', units, 'y', year) AS (k, v)")


def lateral_view(spark):
    spark.table("orders").createOrReplaceTempView("o")
    return spark.sql("SELECT order_id, tag FROM o LATERAL VIEW explode(tags) t AS tag")


def lateral_view_outer(spark):
    return spark.sql(
        "SELECT order_id, p, tag FROM orders LATERAL VIEW OUTER posexplode(tags) t AS p, tag"
    )


def table_function(spark):
    return spark.tvf.range(3)


def table_function_explode(spark):
    return spark.tvf.explode(F.array(lit(1), lit(2)))


def table_function_inline(spark):
    return spark.tvf.inline(F.array(F.struct(lit(1).alias("a"), lit("b").alias("b"))))


def transform(spark):
    return spark.table("orders").select(F.transform("tags", lambda t: F.upper(t)))


def transform_named(spark):
    return spark.table("orders").select(
        F.transform("tags", lambda x: F.concat(x, lit("!"))).alias("t")
    )


def transform_index(spark):
    return spark.table("orders").select(
        F.transform("tags", lambda x, i: F.concat(x, i.cast("string"))).alias("t")
    )


def transform_outer_column(spark):
    o = spark.table("orders")
    return o.select(F.transform(o.tags, lambda x: F.concat(x, o.status, col("status"))).alias("t"))


def transform_structs(spark):
    return spark.table("events").select(
        F.transform("items", lambda i: i.n * 2).alias("a"),
        F.transform("items", lambda i: F.struct(i["sku"].alias("s"), (i.n + 1).alias("m"))).alias(
            "b"
        ),
    )


def filter_array(spark):
    return spark.table("orders").select(
        F.filter("tags", lambda x: x != "a"), F.filter("tags", lambda x, i: i > 0).alias("rest")
    )


def filter_structs(spark):
    return spark.table("events").select(F.filter("items", lambda i: i["n"] > 2).alias("many"))


def exists(spark):
    return spark.table("orders").filter(F.exists("tags", lambda x: x.startswith("a")))


def forall(spark):
    return spark.table("orders").select(F.forall("tags", lambda x: F.length(x) > 1))


def aggregate(spark):
    return spark.table("events").select(
        F.aggregate("items", lit(0), lambda acc, i: acc + i.n).alias("total")
    )


def aggregate_finish(spark):
    return spark.table("orders").select(
        F.aggregate("tags", lit(0), lambda acc, x: acc + F.length(x), lambda acc: acc * 2).alias(
            "n"
        )
    )


def reduce(spark):
    return spark.table("orders").select(F.reduce("tags", lit(""), lambda a, x: F.concat(a, x)))


def zip_with(spark):
    return spark.table("orders").select(
        F.zip_with("tags", F.reverse("tags"), lambda a, b: F.concat(a, b)).alias("z")
    )


def nested_lambdas(spark):
    return spark.table("orders").select(
        F.transform("tags", lambda x: F.filter("tags", lambda y: y != x)).alias("others")
    )


def map_lambdas(spark):
    return spark.table("events").select(
        F.transform_values("props", lambda k, v: F.upper(v)).alias("a"),
        F.transform_keys("props", lambda k, v: F.upper(k)).alias("b"),
        F.map_filter("props", lambda k, v: v.isNotNull()).alias("c"),
    )


def sorted_by_lambda(spark):
    return spark.table("orders").select(
        F.array_sort("tags", lambda a, b: F.length(a) - F.length(b)).alias("t")
    )


def lambda_in_expr(spark):
    return spark.table("orders").selectExpr(
        "transform(tags, x -> upper(x))",
        "filter(tags, t -> t <> 'a') AS f",
        "aggregate(tags, 0, (a, x) -> a + length(x)) AS n",
        "exists(tags, x -> x = 'b')",
    )


def json_fields(spark):
    return spark.table("people").select(
        F.get_json_object("name", "$.a"),
        F.from_json("name", "a INT, b STRING").alias("j"),
        F.to_json(F.struct("id", "age")).alias("t"),
    )


def json_then_field(spark):
    return (
        spark.table("people")
        .withColumn("j", F.from_json("name", "a INT, b STRING"))
        .select("id", "j.a", "j.b")
    )


def json_schema_type(spark):
    from pyspark.sql import types as T

    schema = T.StructType(
        [T.StructField("a", T.IntegerType()), T.StructField("l", T.ArrayType(T.StringType()))]
    )
    return spark.table("people").select(F.from_json(col("name"), schema).alias("j")).select("j.*")


def json_tuple(spark):
    return spark.table("people").select("id", F.json_tuple("name", "a", "b").alias("a", "b"))


def csv_fields(spark):
    return spark.table("people").select(
        F.from_csv("name", "a INT, b STRING").alias("c"), F.to_csv(F.struct("id"))
    )
