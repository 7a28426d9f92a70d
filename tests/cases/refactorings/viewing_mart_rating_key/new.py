# title: Same long viewing mart, but ratings are joined on title_id alone (a condition lost in the move from USING to conditions), so plays multiply by all raters.
# expect: inequivalent
# kind: wrong join key
from pyspark.sql import functions as F

KNOWN_DEVICE = "device IS NOT NULL AND upper(device) <> 'UNKNOWN'"


def subscription_at(df, spark):
    plans = spark.table("plans").select("plan_id", "plan_name")
    periods = (
        spark.table("subscriptions")
        .join(F.broadcast(plans), "plan_id", "left")
        .selectExpr(
            "user_id AS s_user",
            "start_date AS s_from",
            "coalesce(end_date, DATE'9999-12-31') AS s_to",
            "end_date IS NULL AS s_open",
            "plan_name",
        )
    )
    cond = F.expr("user_id = s_user AND play_date >= s_from AND (s_open OR play_date < s_to)")
    return df.join(periods, cond, "left").drop("s_user", "s_from", "s_to", "s_open")


def title_dim(spark):
    t = spark.table("titles").alias("t")
    st = spark.table("studios").alias("st")
    clean = F.expr("transform(t.genres, g -> lower(coalesce(g, 'none')))")
    return t.join(st, F.col("t.studio_id") == F.col("st.studio_id"), "left").select(
        F.col("t.title_id").alias("dim_title_id"),
        "t.title_name",
        "st.studio_name",
        F.col("st.country").alias("studio_country"),
        F.when(F.size("t.genres") > 0, clean).otherwise(F.array(F.lit("none"))).alias("genres"),
    )


def build(spark):
    plays = (
        spark.table("plays")
        .where(KNOWN_DEVICE)
        .withColumn("device", F.upper("device"))
        .withColumn("play_date", F.col("started_at").cast("date"))
        .drop("started_at")
    )
    ratings = spark.table("ratings").drop("rated_on").alias("r")
    base = (
        plays.alias("p")
        .join(
            ratings,
            F.col("p.title_id") == F.col("r.title_id"),
            "left",
        )
        .select("p.*", "r.stars")
        .join(title_dim(spark), F.col("title_id") == F.col("dim_title_id"), "left")
        .drop("dim_title_id")
        .join(spark.table("users").select("user_id", "country"), "user_id")
    )
    mart = subscription_at(base, spark).withColumns(
        {
            "plan_name": F.expr("nvl(plan_name, 'none')"),
            "genres": F.coalesce("genres", F.array(F.lit("none"))),
        }
    )

    facts = mart.select(
        "play_id",
        "user_id",
        "title_name",
        "studio_name",
        "device",
        "play_date",
        "plan_name",
        F.col("country").eqNullSafe(F.col("studio_country")).alias("domestic"),
        "stars",
        F.expr("nvl(watched_s, 0)").alias("watched_s"),
    )
    mart.createOrReplaceTempView("v_mart")
    user_summary = spark.sql(
        """
        SELECT user_id, country, count(*) AS plays, count(DISTINCT title_id) AS titles,
               sum(coalesce(watched_s, 0)) AS watched_s,
               min(completed) AS finished_all, max(completed) AS finished_any,
               max(stars) AS best_rating
        FROM v_mart GROUP BY user_id, country
        """
    )
    genre = spark.sql(
        """
        SELECT genre, plan_name, count(DISTINCT play_id) AS plays, count(DISTINCT user_id) AS viewers
        FROM v_mart LATERAL VIEW explode(genres) g AS genre
        GROUP BY genre, plan_name
        """
    )
    return {"facts": facts, "user_summary": user_summary, "genre": genre}
