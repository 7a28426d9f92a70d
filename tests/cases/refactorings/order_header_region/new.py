# title: withColumn chain turned into one selectExpr, but region takes the first character of the untrimmed store code (the chain used the trimmed one)
# expect: inequivalent
# kind: withColumn vs selectExpr
from pyspark.sql import functions as F


def build(spark):
    df = spark.table("orders").selectExpr(
        "order_id",
        "upper(trim(store_code)) as store_code",
        "upper(substring(store_code, 1, 1)) as region",
        "lpad(regexp_replace(trim(store_code), '[^0-9]', ''), 4, '0') as store_no",
        "lower(trim(status)) in ('pending', 'paid') as is_open",
        "amount - coalesce(discount, 0) as net_amount",
        "date_format(order_ts, 'yyyy-MM') as order_month",
    )
    return df.groupBy("region", "order_month", "is_open").agg(
        F.count("*").alias("orders"),
        F.sum("net_amount").alias("net_amount"),
        F.max("store_no").alias("top_store"),
    )
