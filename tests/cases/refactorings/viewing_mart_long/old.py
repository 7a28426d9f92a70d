from pyspark.sql import functions as F


def build(spark):
    plays = spark.table("plays")
    users = spark.table("users")
    plans = spark.table("plans")
    titles = spark.table("titles")
    studios = spark.table("studios")
    ratings = spark.table("ratings")
    subs = spark.table("subscriptions")

    studio_dim = studios.select(
        "studio_id", "studio_name", F.col("country").alias("studio_country")
    )
    play_day = plays.withColumn("play_date", F.to_date("started_at")).withColumn(
        "device", F.upper(F.coalesce("device", F.lit("unknown")))
    )
    base = (
        play_day.join(users, "user_id", "inner")
        .drop("plan_id")
        .join(titles, "title_id", "left")
        .join(studio_dim, "studio_id", "left")
        .join(ratings.select("user_id", "title_id", "stars"), ["user_id", "title_id"], "left")
    )
    s = subs.select(
        F.col("user_id").alias("sub_user_id"), "start_date", "end_date", "plan_id", "auto_renew"
    )
    with_plan = (
        base.join(
            s,
            (F.col("user_id") == F.col("sub_user_id"))
            & (F.col("start_date") <= F.col("play_date"))
            & (F.col("end_date").isNull() | (F.col("play_date") < F.col("end_date"))),
            "left",
        )
        .drop("sub_user_id")
        .join(plans, "plan_id", "left")
        .filter(F.col("device") != "UNKNOWN")
        .withColumn("plan_name", F.coalesce("plan_name", F.lit("none")))
        .withColumn("domestic", F.expr("country <=> studio_country"))
    )
    facts = with_plan.select(
        "play_id",
        "user_id",
        "title_name",
        "studio_name",
        "device",
        "play_date",
        "plan_name",
        "domestic",
        "stars",
        F.coalesce("watched_s", F.lit(0)).alias("watched_s"),
    )

    user_summary = (
        with_plan.groupBy("user_id", "country")
        .agg(
            F.count("*").alias("plays"),
            F.countDistinct("title_id").alias("titles"),
            F.sum("watched_s").alias("watched_s"),
            F.every("completed").alias("finished_all"),
            F.some("completed").alias("finished_any"),
            F.max("stars").alias("best_rating"),
        )
        .filter(F.col("plays") > 0)
        .withColumn("watched_s", F.coalesce("watched_s", F.lit(0)))
    )

    genre = (
        with_plan.withColumn("genre", F.explode_outer("genres"))
        .withColumn("genre", F.lower(F.coalesce("genre", F.lit("none"))))
        .groupBy("genre", "plan_name")
        .agg(
            F.countDistinct("play_id").alias("plays"),
            F.countDistinct("user_id").alias("viewers"),
        )
    )
    return {"facts": facts, "user_summary": user_summary, "genre": genre}
