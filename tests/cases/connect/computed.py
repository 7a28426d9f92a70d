"""Frames whose columns depend on the rows, or that look at rows: loading a job stops there."""


def describe(spark):
    return spark.table("people").describe("age", "score")


def summary(spark):
    return spark.table("people").select("age").summary("count", "min", "max")


def freq_items(spark):
    return spark.table("people").freqItems(["city"])


def transpose(spark):
    return spark.createDataFrame([("a", 1), ("b", 2)], "k string, v int").transpose()


def crosstab(spark):
    return spark.table("sales").crosstab("region", "product")
