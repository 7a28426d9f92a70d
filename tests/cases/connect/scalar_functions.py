"""Functions of rows: types and generated names."""

from pyspark.sql import functions as F
from pyspark.sql.functions import col, expr, lit


def strings(spark):
    return spark.table("people").select(
        F.lower("name"),
        F.upper(col("name")),
        F.trim("name"),
        F.ltrim("name"),
        F.rtrim("name"),
        F.length("name"),
        F.initcap("name"),
        F.reverse("name"),
        F.ascii("name"),
        F.base64("name"),
    )


def strings_more(spark):
    return spark.table("people").select(
        F.substring("name", 1, 2),
        F.lpad("name", 5, "0"),
        F.rpad("name", 5, "0"),
        F.repeat("name", 2),
        F.instr("name", "a"),
        F.locate("a", "name"),
        F.translate("name", "ab", "cd"),
        F.substring_index("name", ".", 1),
        F.soundex("name"),
        F.levenshtein("name", "city"),
        F.left("name", lit(2)),
        F.right("name", lit(2)),
    )


def concatenation(spark):
    return spark.table("people").select(
        F.concat("name", "city"),
        F.concat(col("name"), lit("-"), "id"),
        F.concat_ws("-", "name", "city"),
        F.concat_ws(",", col("id"), lit("x")).alias("w"),
    )


def regular_expressions(spark):
    return spark.table("people").select(
        F.regexp_replace("name", "a+", "b"),
        F.regexp_extract("name", r"(\d+)", 1),
        F.regexp_extract_all("name", lit(r"(\d+)"), 1),
        F.regexp_like("name", lit("^a")),
        F.regexp_count("name", lit("a")),
        F.regexp_substr("name", lit("a.")),
        F.rlike("name", lit("b")),
    )


def splitting(spark):
    return spark.table("people").select(
        F.split("name", " "),
        F.split("name", ",", 2),
        F.split(col("name"), "-")[0],
        F.split("name", " ").getItem(1).alias("second"),
        F.split_part("name", lit("-"), lit(1)),
    )


def formatting(spark):
    return spark.table("people").select(
        F.format_string("%s-%d", "name", "age"),
        F.format_number("score", 2),
        F.hex("id"),
        F.bin("id"),
        F.conv("name", 10, 16),
        F.md5("name"),
        F.sha1("name"),
        F.sha2("name", 256),
        F.crc32("name"),
    )


def predicates(spark):
    return spark.table("people").select(
        F.startswith("name", lit("a")),
        F.endswith("name", lit("a")),
        F.contains("name", lit("a")),
        F.like("name", lit("a%")),
        F.ilike("name", lit("a%")),
        F.isnull("name"),
        F.isnotnull("name"),
        F.isnan("score"),
        F.equal_null("name", "city"),
    )


def nulls(spark):
    return spark.table("people").select(
        F.coalesce("name", "city"),
        F.coalesce(col("age"), lit(0)),
        F.nvl("name", lit("?")),
        F.ifnull("age", lit(1)),
        F.nullif("name", lit("")),
        F.nvl2("age", lit(1), lit(2)),
        F.nanvl("score", lit(0.0)),
        F.zeroifnull("age"),
        F.nullifzero("age"),
    )


def coalesce_types(spark):
    n = spark.table("numbers")
    return n.select(
        F.coalesce("i", "d"),
        F.coalesce("b", "l").alias("x"),
        F.coalesce("m", lit(0)).alias("y"),
        F.coalesce("i", lit(0.5)).alias("z"),
        F.coalesce("dt", "ts").alias("w"),
    )


def maths(spark):
    return spark.table("numbers").select(
        F.abs("i"),
        F.sqrt("d"),
        F.exp("d"),
        F.log("d"),
        F.log(2.0, "d"),
        F.log10("d"),
        F.log2("d"),
        F.pow("d", 2),
        F.power("i", lit(2)),
        F.cbrt("d"),
        F.signum("d"),
        F.sign("i"),
        F.negative("i"),
        F.positive("i"),
    )


def rounding(spark):
    return spark.table("numbers").select(
        F.round("d", 2),
        F.round("m"),
        F.round("m", 1),
        F.bround("d", 1),
        F.floor("d"),
        F.ceil("d"),
        F.floor("m"),
        F.ceiling("m"),
        F.rint("d"),
        F.round("i", -1),
        F.round(col("d")),
    )


def comparing(spark):
    return spark.table("numbers").select(
        F.greatest("i", "l"),
        F.least("i", "d"),
        F.greatest(col("m"), lit(1)),
        F.pmod("i", lit(3)),
        F.greatest("t", lit("x")),
    )


def integers(spark):
    return spark.table("numbers").select(
        F.shiftleft("i", 2),
        F.shiftright("i", 1),
        F.bit_count("i"),
        F.factorial(lit(5)),
        F.hash("i", "t"),
        F.xxhash64("t"),
        F.expr("i div 2"),
        F.width_bucket("d", lit(0.0), lit(10.0), lit(5)),
    )


def trying(spark):
    return spark.table("numbers").select(
        F.try_add("i", "l"),
        F.try_subtract("i", lit(1)),
        F.try_multiply("i", "i"),
        F.try_divide("i", lit(0)),
        F.try_to_number("t", lit("999")),
        F.try_element_at(F.array("i"), lit(2)),
    )


def trigonometry(spark):
    return spark.table("numbers").select(
        F.sin("d"),
        F.cos("d"),
        F.tan("d"),
        F.atan2("d", lit(1.0)),
        F.degrees("d"),
        F.radians("d"),
        F.hypot("d", "i"),
    )


def arithmetic_types(spark):
    n = spark.table("numbers")
    return n.select(
        n.b + n.s,
        n.i + n.l,
        n.i * n.f,
        n.i / n.i,
        n.m + n.i,
        n.m * n.m,
        n.m / n.m,
        n.m - n.l,
        n.m % n.i,
        n.f + n.d,
        n.b * 2,
        n.s + 1,
        n.m * 2,
        n.m * 1.5,
        n.l / 2,
        n.b / n.m,
    )


def text_in_arithmetic(spark):
    n = spark.table("numbers")
    return n.select(
        n.t + 1,
        n.t * n.d,
        n.t == 1,
        n.t > n.i,
        n.i == "1",
        n.dt == "2024-01-01",
        n.ts > "2024-01-01",
    )


def dates(spark):
    return spark.table("orders").select(
        F.year("day"),
        F.month("day"),
        F.dayofmonth("day"),
        F.dayofweek("day"),
        F.dayofyear("day"),
        F.weekofyear("day"),
        F.quarter("day"),
        F.last_day("day"),
        F.next_day("day", "Mon"),
        F.weekday("day"),
        F.day("day"),
    )


def date_arithmetic(spark):
    o = spark.table("orders")
    return o.select(
        F.date_add("day", 1),
        F.date_sub("day", 2),
        F.add_months("day", 1),
        F.datediff("day", lit("2024-01-01")),
        F.months_between("day", "placed"),
        F.date_add(o.day, o.quantity),
        o.day + 1,
        F.date_diff("day", "day"),
        expr("day + INTERVAL 1 DAY"),
        expr("placed - INTERVAL 2 HOURS"),
        F.date_trunc("month", "placed"),
        F.trunc("day", "year"),
    )


def date_minus(spark):
    o = spark.table("orders")
    return o.select(o.day - o.day, o.placed - o.placed, o.day - F.expr("INTERVAL 1 MONTH"))


def times(spark):
    return spark.table("orders").select(
        F.hour("placed"),
        F.minute("placed"),
        F.second("placed"),
        F.to_date("placed"),
        F.unix_timestamp("placed"),
        F.from_unixtime(lit(0)),
        F.unix_seconds("placed"),
        F.timestamp_seconds("quantity"),
        F.extract(lit("YEAR"), "placed"),
    )


def parsing_dates(spark):
    return spark.table("people").select(
        F.to_date("name"),
        F.to_date("name", "yyyy-MM-dd"),
        F.to_timestamp("name"),
        F.to_timestamp("name", "yyyy-MM-dd HH:mm"),
        F.date_format("born", "yyyy-MM"),
        F.unix_timestamp("name", "yyyy"),
        F.make_date("age", lit(1), lit(1)),
        F.try_to_timestamp("name"),
        F.date_format("born", "EEEE"),
    )


def casts_of_dates(spark):
    p = spark.table("people")
    return p.select(
        p.born.cast("string"),
        p.name.cast("date"),
        p.born.cast("timestamp"),
        p.name.cast("timestamp"),
    )


def current(spark):
    return spark.table("people").select(
        F.current_date(),
        F.current_timestamp().alias("now"),
        F.datediff(F.current_date(), "born").alias("days"),
    )


def random_numbers(spark):
    return spark.table("people").select(F.rand(3).alias("a"), F.randn(3).alias("b"))


def identifiers(spark):
    return spark.table("people").select(
        "id", F.monotonically_increasing_id().alias("n"), F.spark_partition_id()
    )


def by_name(spark):
    return spark.table("people").select(
        F.call_function("upper", col("name")),
        F.expr("substring(name, 1, 2)"),
        F.expr("nvl(age, 0)"),
        F.call_function("sqrt", "age"),
    )


def when_chain(spark):
    return spark.table("people").withColumn(
        "band",
        F.when(col("age").isNull(), None)
        .when((col("age") >= 18) & (col("age") < 65), lit("adult"))
        .when(~(col("age") >= 18), "child")
        .otherwise(lit("senior")),
    )


def case_when_text(spark):
    return spark.table("people").select(
        expr("CASE WHEN age > 3 THEN 'a' ELSE 'b' END AS x"),
        expr("CASE city WHEN 'a' THEN 1 WHEN 'b' THEN 2 END"),
        expr("if(age > 3, 'a', NULL)"),
        expr("decode(city, 'a', 1, 2)"),
    )


def names_of_nested_calls(spark):
    p = spark.table("people")
    return p.select(
        F.upper(F.trim(p.name)),
        F.coalesce(F.length("name"), lit(0)) + 1,
        F.round(p.score / p.age, 2),
        F.sqrt(F.abs(p.score)),
        F.lower(F.concat("name", lit(" "), "city")),
        (p.age + 1) * 2,
        -(p.age - 3),
    )


def names_of_quotes(spark):
    return spark.table("people").select(
        F.concat("name", lit("'")),
        F.regexp_replace("name", "\\s+", " "),
        F.lit("a\nb"),
        F.split("name", r"\|"),
    )


def names_of_casts_inside(spark):
    p = spark.table("people")
    return p.select(
        F.length(p.age.cast("string")), p.age.cast("double") / 2, F.upper(p.id.cast("string"))
    )


def names_of_numbers(spark):
    n = spark.table("numbers")
    return n.select(
        n.i + 1.0,
        n.i * 1e10,
        n.d + 0.1,
        n.i + 10000000000,
        n.m + 2,
        n.d * -1,
        n.i - (-1),
        n.f + 1.5,
    )


def names_of_sort_words(spark):
    return spark.table("people").select(
        F.abs("age"), F.expr("abs(-age)"), F.expr("- age"), F.expr("age || ''")
    )


def names_of_bools(spark):
    p = spark.table("people")
    return p.select(~p.active, p.active == True, p.active != lit(False), p.active & True)  # noqa: E712


def url_and_misc(spark):
    return spark.table("people").select(
        F.parse_url("name", lit("HOST")),
        F.url_encode("name"),
        F.encode("name", "UTF-8"),
        F.decode(F.encode("name", "UTF-8"), "UTF-8"),
        F.typeof("age"),
        F.uuid(),
        F.overlay("name", lit("x"), 1),
        F.char_length("name"),
        F.octet_length("name"),
    )


def binary(spark):
    n = spark.table("numbers")
    return n.select(
        F.length("x"),
        F.base64("x"),
        F.hex("x"),
        n.x.cast("string"),
        F.unhex("t"),
        F.concat("x", "x"),
    )


def asserting(spark):
    return spark.table("people").select(F.assert_true(col("age") > 0), F.raise_error(lit("no")))


def interval_functions(spark):
    return spark.table("orders").select(
        F.make_interval(days=lit(1)).alias("a"),
        F.make_dt_interval(lit(1)).alias("b"),
        F.make_ym_interval(lit(1)).alias("c"),
        (col("placed") + F.make_dt_interval(lit(1))).alias("d"),
    )


def time_zones(spark):
    return spark.table("orders").select(
        F.from_utc_timestamp("placed", "Europe/Paris"),
        F.to_utc_timestamp("placed", "Asia/Tokyo"),
        F.current_timezone(),
    )


def timestamps_without_zone(spark):
    n = spark.table("numbers")
    return n.select(
        n.tn.cast("date"),
        n.tn.cast("timestamp"),
        n.ts.cast("timestamp_ntz"),
        n.tn > n.ts,
        F.hour("tn"),
        F.coalesce("tn", "ts"),
    )


def over_many_columns(spark):
    df = spark.table("sales")
    numeric = [c for c, t in df.dtypes if t in ("int", "float", "double")]
    return df.select(*[F.sum(c).alias(f"{c}_sum") for c in numeric], *[F.max(c) for c in numeric])


def null_counts(spark):
    df = spark.table("people")
    return df.select([F.count(F.when(col(c).isNull(), c)).alias(c) for c in df.columns])


def null_counts_sum(spark):
    df = spark.table("people")
    return df.select([F.sum(col(c).isNull().cast("int")).alias(c) for c in df.columns])


def fold_condition(spark):
    from functools import reduce

    df = spark.table("people")
    return df.filter(reduce(lambda a, b: a | b, [col(c).isNull() for c in df.columns]))


def cleaned(spark):
    return (
        spark.table("people")
        .withColumn("name", F.regexp_replace(F.lower(F.trim("name")), r"[^a-z0-9]+", "_"))
        .withColumn("city", F.when(F.trim("city") == "", None).otherwise(F.trim("city")))
        .withColumn("age", F.greatest(F.lit(0), F.least(F.lit(120), F.col("age"))))
        .filter(F.col("name").isNotNull() & (F.length("name") > 0))
    )
