"""Sessions with at least two successful page views, by landing day."""


def build(spark):
    spark.sql(
        """
        CREATE OR REPLACE TEMPORARY VIEW good_views AS
        SELECT session_id, user_id, lower(url) AS url, viewed_at,
               coalesce(duration_ms, 0) AS duration_ms
        FROM page_views
        WHERE status >= 200 AND status < 300
        """
    )
    spark.sql(
        """
        SELECT v.session_id, v.url, v.viewed_at, v.duration_ms,
               coalesce(u.country, 'ZZ') AS country
        FROM good_views v
        LEFT JOIN users u ON v.user_id = u.user_id
        WHERE u.user_id IS NULL OR NOT u.is_bot
        """
    ).createOrReplaceTempView("human_views")
    return spark.sql(
        """
        WITH sessions AS (
            SELECT session_id,
                   country,
                   count(*) AS views,
                   count(DISTINCT url) AS pages,
                   sum(duration_ms) AS duration_ms,
                   min(viewed_at) AS started_at
            FROM human_views
            GROUP BY session_id, country
            HAVING count(*) >= 2
        )
        SELECT session_id,
               country,
               to_date(started_at) AS session_date,
               views,
               pages,
               duration_ms,
               CASE WHEN duration_ms < 10000 THEN 'short'
                    WHEN duration_ms < 60000 THEN 'medium'
                    ELSE 'long' END AS length_class
        FROM sessions
        """
    )
