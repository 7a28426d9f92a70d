from pyspark.sql import functions as F


def build(spark):
    buys = spark.table("purchases")
    items = spark.table("items")
    prices = spark.table("item_prices")
    players = spark.table("players")
    guilds = spark.table("guilds")

    paid = buys.filter(F.col("status") == "PAID")

    a = paid.alias("a")
    b = paid.alias("b")
    double_ids = (
        a.join(
            b,
            (F.col("a.player_id") == F.col("b.player_id"))
            & (F.col("a.item_id") == F.col("b.item_id"))
            & (F.col("a.purchased_at") == F.col("b.purchased_at"))
            & (F.col("a.purchase_id") != F.col("b.purchase_id")),
        )
        .select(F.col("a.purchase_id").alias("purchase_id"))
        .distinct()
    )
    marked = paid.join(
        double_ids.withColumn("is_double", F.lit(True)), "purchase_id", "left"
    ).withColumn("is_double", F.coalesce("is_double", F.lit(False)))

    priced = (
        marked.alias("m")
        .join(
            prices.alias("p"),
            (F.col("m.item_id") == F.col("p.item_id"))
            & (F.col("m.purchased_at") >= F.col("p.price_from"))
            & ((F.col("m.purchased_at") < F.col("p.price_to")) | F.col("p.price_to").isNull()),
            "left",
        )
        .select("m.*", "p.list_price")
        .withColumn("expected", F.col("list_price") * F.col("quantity"))
        .withColumn("gap", F.col("amount") - F.col("expected"))
    )

    detail = (
        priced.join(items, "item_id", "left")
        .join(players, "player_id", "left")
        .join(guilds, "guild_id", "left")
        .select(
            "purchase_id",
            "handle",
            "guild_name",
            F.coalesce("item_name", F.lit("unknown item")).alias("item_name"),
            F.coalesce("category", F.lit("OTHER")).alias("category"),
            "quantity",
            "amount",
            "gap",
            "is_double",
            F.col("handle").isNull().alias("is_orphan"),
        )
    )

    doubles = detail.filter(F.col("is_double"))
    orphans = detail.filter(F.col("is_orphan"))
    mispriced = detail.filter(F.col("gap") != 0)

    issues = (
        doubles.select(F.lit("double").alias("issue"), "purchase_id", "amount")
        .union(orphans.select(F.lit("orphan"), "purchase_id", "amount"))
        .union(mispriced.select(F.lit("mispriced"), "purchase_id", "amount"))
    )
    by_category = detail.groupBy("category").agg(
        F.count("*").alias("purchases"),
        F.sum("amount").alias("revenue"),
        F.sum(F.when(~F.col("is_double"), F.col("amount"))).alias("clean_revenue"),
        F.max("is_double").alias("has_doubles"),
    )
    return {"issues": issues, "by_category": by_category}
