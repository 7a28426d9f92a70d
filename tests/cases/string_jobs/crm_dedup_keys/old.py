from pyspark.sql import functions as F


def build(spark):
    people = spark.table("crm_people").filter(F.col("last_name").isNotNull())

    cleaned = (
        people.withColumn("first_name", F.trim(F.col("first_name")))
        .withColumn(
            "first_name",
            F.when(F.col("first_name").isNull(), F.lit("")).otherwise(F.col("first_name")),
        )
        .withColumn("initial", F.upper(F.substring("first_name", 1, 1)))
        .withColumn("last_name", F.upper(F.trim(F.col("last_name"))))
        .withColumn("last_name", F.regexp_replace("last_name", "[^A-Z]", ""))
        .withColumn("city", F.lower(F.trim(F.col("city"))))
        .withColumn(
            "city",
            F.when(F.col("city").isNull() | (F.col("city") == ""), F.lit("unknown")).otherwise(
                F.col("city")
            ),
        )
        .withColumn("born", F.col("birth_date").cast("string"))
        .filter(F.length("last_name") > 1)
        .withColumn("dedup_key", F.concat_ws("|", "last_name", "initial", "city", "born"))
    )

    groups = cleaned.groupBy("dedup_key").agg(
        F.count("*").alias("records"),
        F.min("person_id").alias("master_id"),
        F.max("updated_on").alias("last_update"),
    )
    return groups.filter(F.col("records") > 1)
