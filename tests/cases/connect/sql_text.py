"""SQL text beside frames: views, parameters, subqueries."""

from pyspark.sql import functions as F
from pyspark.sql.functions import col


def of_table(spark):
    return spark.sql("SELECT id, name FROM people WHERE age > 3")


def of_view(spark):
    spark.table("people").filter("age > 3").createOrReplaceTempView("adults")
    return spark.sql("SELECT city, count(*) AS n, avg(age) FROM adults GROUP BY city")


def of_view_replaced(spark):
    spark.table("people").filter("age > 3").createOrReplaceTempView("v")
    first = spark.sql("SELECT id FROM v")
    spark.table("people").filter("age <= 3").createOrReplaceTempView("v")
    return first.union(spark.sql("SELECT id FROM v"))


def of_view_by_table(spark):
    spark.table("people").select("id", "age").createOrReplaceTempView("v")
    return spark.table("v").filter("age > 1")


def of_view_named_like_table(spark):
    spark.table("people").filter("age > 3").select("id", "city").createOrReplaceTempView("people")
    return spark.sql("SELECT * FROM people")


def of_view_made_in_sql(spark):
    spark.sql("CREATE OR REPLACE TEMP VIEW grown AS SELECT * FROM people WHERE age > 17")
    return spark.sql("SELECT name FROM grown ORDER BY name")


def of_create_temp_view(spark):
    spark.table("cities").createTempView("towns")
    df = spark.sql("SELECT * FROM towns")
    spark.catalog.dropTempView("towns")
    return df


def of_global_view(spark):
    spark.table("cities").createOrReplaceGlobalTempView("g")
    return spark.sql("SELECT * FROM global_temp.g")


def view_of_view(spark):
    spark.table("people").createOrReplaceTempView("a")
    spark.sql("SELECT id, city FROM a WHERE active").createOrReplaceTempView("b")
    return spark.sql("SELECT b.id, c.country FROM b JOIN cities c ON b.city = c.city")


def view_other_case(spark):
    spark.table("people").createOrReplaceTempView("Folk")
    return spark.sql("SELECT ID FROM FOLK")


def continued(spark):
    return spark.sql("SELECT * FROM people").filter(col("age") > 3).select("name", F.upper("city"))


def joined_with_frame(spark):
    o = spark.sql("SELECT person_id, sum(amount) AS total FROM orders GROUP BY person_id")
    p = spark.table("people")
    return p.join(o, p.id == o.person_id, "left").select("name", "total")


def named_parameters(spark):
    return spark.sql(
        "SELECT * FROM people WHERE age > :least AND city = :city", {"least": 3, "city": "x"}
    )


def named_parameters_args(spark):
    return spark.sql("SELECT id, :tag AS tag FROM people", args={"tag": "a"})


def positional_parameters(spark):
    return spark.sql("SELECT * FROM people WHERE age BETWEEN ? AND ?", [3, 7])


def frame_parameters(spark):
    return spark.sql(
        "SELECT city, count(*) n FROM {p} GROUP BY city", p=spark.table("people").filter("age > 1")
    )


def frame_and_column_parameters(spark):
    p = spark.table("people")
    return spark.sql("SELECT * FROM {p} WHERE {c} > {least}", p=p, c=col("age"), least=3)


def formatted(spark):
    least = 3
    return spark.sql(f"SELECT id FROM people WHERE age > {least}")


def with_clause(spark):
    return spark.sql(
        "WITH t AS (SELECT city, max(age) AS m FROM people GROUP BY city) "
        "SELECT p.id, t.m FROM people p JOIN t USING (city) WHERE p.age = t.m"
    )


def sub_query_in(spark):
    return spark.sql("SELECT * FROM people WHERE id IN (SELECT person_id FROM orders)")


def sub_query_exists(spark):
    return spark.sql(
        "SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM orders o WHERE o.person_id = p.id)"
    )


def sub_query_scalar(spark):
    return spark.sql(
        "SELECT id, (SELECT max(amount) FROM orders o WHERE o.person_id = p.id) AS best FROM people p"
    )


def sql_union(spark):
    return spark.sql("SELECT id FROM people UNION SELECT order_id FROM orders")


def sql_values(spark):
    return spark.sql("SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(id, name)")


def sql_no_table(spark):
    return spark.sql("SELECT 1 AS one, 'x', 2.5, current_date() > DATE '2020-01-01' AS later")


def sql_qualify_less(spark):
    return spark.sql(
        "SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY city ORDER BY age DESC, id) AS r FROM people) WHERE r <= 3"
    )


def sql_names(spark):
    return spark.sql(
        "SELECT age + 1, upper(name), count(*) OVER (), CAST(age AS STRING), age > 3 FROM people"
    )


def sql_lateral(spark):
    return spark.sql(
        "SELECT p.id, o.amount FROM people p, LATERAL (SELECT amount FROM orders WHERE person_id = p.id) o"
    )


def sql_pivot(spark):
    return spark.sql(
        "SELECT * FROM (SELECT region, year, units FROM sales) PIVOT (sum(units) FOR year IN (2023, 2024))"
    )


def sql_grouping_sets(spark):
    return spark.sql(
        "SELECT region, year, sum(units) FROM sales GROUP BY GROUPING SETS ((region), (year), ())"
    )


def sql_using(spark):
    return spark.sql("SELECT city, p.id, c.country FROM people p LEFT JOIN cities c USING (city)")


def sql_natural(spark):
    return spark.sql("SELECT * FROM (SELECT id, city FROM people) NATURAL JOIN cities")


def sql_having(spark):
    return spark.sql(
        "SELECT city, count(*) FROM people GROUP BY city HAVING max(age) > 30 ORDER BY 2 DESC, 1 LIMIT 5"
    )


def sql_group_by_all(spark):
    return spark.sql("SELECT city, active, count(*) AS n FROM people GROUP BY ALL")


def sql_explode(spark):
    return spark.sql("SELECT order_id, explode(tags) FROM orders")


def sql_tablesample(spark):
    return spark.sql("SELECT * FROM people WHERE name RLIKE '^A' AND NOT name LIKE '%x%'")


def sql_pipe(spark):
    return spark.sql("FROM people |> WHERE age > 3 |> SELECT id, name")


def scalar_frame(spark):
    p = spark.table("people")
    return p.filter(p.age > p.select(F.avg("age")).scalar())


def scalar_frame_selected(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.select("id", o.select(F.max("amount")).scalar().alias("best"))


def scalar_frame_correlated(spark):
    p, o = spark.table("people").alias("p"), spark.table("orders").alias("o")
    best = o.where(col("o.person_id") == col("p.id").outer()).select(F.max("amount")).scalar()
    return p.select("id", best.alias("best"))


def exists_frame(spark):
    p, o = spark.table("people").alias("p"), spark.table("orders").alias("o")
    return p.where(o.where(col("o.person_id") == col("p.id").outer()).exists())


def not_exists_frame(spark):
    p, o = spark.table("people").alias("p"), spark.table("orders").alias("o")
    return p.where(~o.where(col("o.person_id") == col("p.id").outer()).exists()).select("name")


def isin_frame(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.where(p.id.isin(o.select("person_id")))


def not_isin_frame(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.where(~col("id").isin(o.select("person_id").where("quantity > 3")))


def isin_frame_of_struct(spark):
    p, e = spark.table("people"), spark.table("events")
    return p.where(F.struct("id", "city").isin(e.select("person_id", "place.city")))


def expr_subquery(spark):
    return spark.table("people").filter("id IN (SELECT person_id FROM orders)")


def select_expr_subquery(spark):
    return spark.table("people").selectExpr("id", "(SELECT max(day) FROM orders) AS last")


def view_in_expr(spark):
    spark.table("orders").filter("quantity > 3").createOrReplaceTempView("big")
    return spark.table("people").where("id IN (SELECT person_id FROM big)")


def backticked(spark):
    spark.table("people").select(col("id").alias("a b")).createOrReplaceTempView("odd")
    return spark.sql("SELECT `a b` + 1 AS x FROM odd")


def session_variable_free(spark):
    spark.table("people").createOrReplaceTempView("v")
    df = spark.sql("SELECT * FROM v")
    df = df.withColumn("x", F.expr("age * 2"))
    df.createOrReplaceTempView("v")
    return spark.sql("SELECT id, x FROM v")
