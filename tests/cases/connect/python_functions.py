"""Python functions of rows, batches and groups."""

import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql.functions import col, udf
from pyspark.sql.types import IntegerType, StringType, StructField, StructType


def doubled(x):
    return None if x is None else x * 2


def lambda_function(spark):
    twice = udf(lambda x: None if x is None else x * 2, "int")
    return spark.table("people").withColumn("twice", twice("age"))


def lambda_function_name(spark):
    twice = udf(lambda x: None if x is None else x * 2, "int")
    return spark.table("people").select(twice("age"))


def named_function(spark):
    return spark.table("people").select(
        "id", udf(doubled, IntegerType())(col("age")).alias("twice")
    )


def named_function_name(spark):
    return spark.table("people").select(
        udf(doubled, "int")("age"), udf(doubled, "bigint")(col("id") + 1)
    )


def decorated(spark):
    @udf("string")
    def label(name, age):
        if age is None or name is None:
            return "unknown"
        return name.upper() if age > 30 else name

    return spark.table("people").withColumn("label", label("name", "age"))


def decorated_bare(spark):
    @udf
    def shout(s):
        return None if s is None else s.upper() + "!"

    return spark.table("people").select(shout("name"), shout(F.col("city")).alias("c"))


def decorated_type(spark):
    @udf(returnType=StringType())
    def clean(s):
        return s.strip() if s else ""

    return spark.table("people").withColumn("name", clean(col("name"))).filter(col("name") != "")


def function_of_struct(spark):
    schema = StructType([StructField("a", IntegerType()), StructField("b", StringType())])

    @udf(schema)
    def parts(age, name):
        return (age, name)

    return spark.table("people").select(parts("age", "name").alias("p")).select("p.*")


def function_of_array(spark):
    @udf("array<string>")
    def words(s):
        return s.split() if s else []

    return spark.table("people").select("id", F.explode(words("name")).alias("word"))


def function_in_filter(spark):
    is_adult = udf(lambda age: age is not None and age >= 18, "boolean")
    return spark.table("people").filter(is_adult("age"))


def function_in_group(spark):
    decade = udf(lambda a: None if a is None else a // 10 * 10, "int")
    return spark.table("people").groupBy(decade("age").alias("decade")).count()


def function_not_deterministic(spark):
    import random

    roll = udf(lambda: random.randint(1, 6), "int").asNondeterministic()
    return spark.table("people").select("id", roll().alias("roll"))


def function_by_arrow(spark):
    @udf("int", useArrow=True)
    def plus(x):
        return None if x is None else x + 1

    return spark.table("people").select(plus("age"))


def function_by_keyword(spark):
    @udf("int")
    def minus(a, b):
        return None if a is None or b is None else a - b

    o = spark.table("people")
    return o.select(minus(b=col("age"), a=col("id").cast("int")).alias("m"))


def registered_in_sql(spark):
    spark.udf.register("twice", doubled, "int")
    return spark.sql("SELECT id, twice(age) AS t FROM people")


def registered_in_expr(spark):
    spark.udf.register("twice", doubled, IntegerType())
    return spark.table("people").selectExpr("twice(age)", "id")


def registered_udf(spark):
    f = spark.udf.register("shout", udf(lambda s: None if s is None else s.upper(), "string"))
    return spark.table("people").select(
        f("name"), F.expr("shout(city)"), F.call_function("shout", "city")
    )


def pandas_function(spark):
    @F.pandas_udf("double")
    def scaled(x: pd.Series) -> pd.Series:
        return x * 2

    return spark.table("people").withColumn("score", scaled("score"))


def pandas_function_name(spark):
    @F.pandas_udf("double")
    def scaled(x: pd.Series) -> pd.Series:
        return x * 2

    return spark.table("people").select(scaled("score"))


def pandas_aggregate(spark):
    @F.pandas_udf("double")
    def middle(x: pd.Series) -> float:
        return float(x.median())

    return spark.table("people").groupBy("city").agg(middle("score").alias("m"))


def apply_in_pandas(spark):
    def top(group: pd.DataFrame) -> pd.DataFrame:
        return group.nlargest(1, "score")[["id", "city"]]

    return spark.table("people").groupBy("city").applyInPandas(top, "id BIGINT, city STRING")


def map_in_pandas(spark):
    def kept(batches):
        for batch in batches:
            yield batch[batch.age > 3][["id"]]

    return spark.table("people").mapInPandas(kept, "id BIGINT")


def map_in_arrow(spark):
    def kept(batches):
        yield from batches

    return spark.table("cities").mapInArrow(
        kept, "city STRING, country STRING, population BIGINT, founded INT"
    )


def cogrouped(spark):
    def merged(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        return left.merge(right, on="city")[["id", "country"]]

    p, c = spark.table("people").groupBy("city"), spark.table("cities").groupBy("city")
    return p.cogroup(c).applyInPandas(merged, "id BIGINT, country STRING")


def function_with_window(spark):
    from pyspark.sql import Window

    twice = udf(doubled, "int")
    w = Window.partitionBy("city").orderBy("id")
    return spark.table("people").select(F.row_number().over(w).alias("r"), twice("age").alias("t"))


def function_of_function(spark):
    twice = udf(doubled, "int")
    return spark.table("people").select(twice(twice("age")).alias("four"), twice(F.length("name")))


def function_with_constant(spark):
    factor = 3
    times = udf(lambda x: None if x is None else x * factor, "int")
    return spark.table("people").withColumn("t", times(col("age")))


def function_of_row(spark):
    named = udf(lambda r: r.name if r.age is None else f"{r.name}{r.age}", "string")
    return spark.table("people").select(named(F.struct("name", "age")).alias("n"))


def table_function(spark):
    @F.udtf(returnType="n: int, m: int")
    class Twice:
        def eval(self, n: int):
            yield n, n * 2

    return Twice(F.lit(3))
