# title: The slug is built in SQL expressions where the single backslash of the regex is eaten, so the letter s becomes a dash.
# expect: inequivalent
# why: the SQL literal '[\s-]+' is read as '[s-]+', which replaces the letter s and keeps the blanks.

from pyspark.sql import functions as F

LANG = "substring_index(replace(lower(trim(lang)), '_', '-'), '-', 1)"
CLEAN_TITLE = "regexp_replace(lower(trim(title)), '[^a-z0-9 -]', '')"
SLUG = r"left(regexp_replace(clean_title, '[\s-]+', '-'), 60)"


def build(spark):
    slugged = (
        spark.table("articles")
        .selectExpr(
            "article_id", "published_on", f"{LANG} AS lang", f"{CLEAN_TITLE} AS clean_title"
        )
        .selectExpr("article_id", "published_on", "lang", f"{SLUG} AS slug")
        .where("slug <> ''")
    )

    return (
        slugged.join(spark.table("languages"), "lang", "left")
        .selectExpr(
            "article_id",
            "published_on",
            "concat_ws('/', '', lang, slug) AS url_path",
            "nvl(language, 'Other') AS language",
        )
        .groupBy("url_path", "language")
        .agg(
            F.count("*").alias("articles"),
            F.min("article_id").alias("canonical_id"),
            F.max("published_on").alias("last_published_on"),
        )
    )
