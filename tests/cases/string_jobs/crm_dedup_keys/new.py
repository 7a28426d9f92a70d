# title: The withColumn chain becomes selectExpr, the null branches become coalesce and a redundant null filter goes.
# expect: equivalent
# why: when-isNull equals coalesce, nullif('') equals the empty test, and length(null) > 1 already drops null names.

from pyspark.sql import functions as F


def build(spark):
    keyed = (
        spark.table("crm_people")
        .selectExpr(
            "person_id",
            "updated_on",
            "regexp_replace(upper(trim(last_name)), '[^A-Z]', '') AS last_name",
            "coalesce(upper(substring(trim(first_name), 1, 1)), '') AS initial",
            "coalesce(nullif(lower(trim(city)), ''), 'unknown') AS city",
            "CAST(birth_date AS STRING) AS born",
        )
        .where("length(last_name) > 1")
        .selectExpr(
            "person_id",
            "updated_on",
            "concat_ws('|', last_name, initial, city, born) AS dedup_key",
        )
    )

    return (
        keyed.groupBy("dedup_key")
        .agg(
            F.count("*").alias("records"),
            F.min("person_id").alias("master_id"),
            F.max("updated_on").alias("last_update"),
        )
        .where("records > 1")
    )
