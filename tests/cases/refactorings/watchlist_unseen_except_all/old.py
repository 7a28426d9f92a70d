def build(spark):
    spark.sql(
        """
        SELECT user_id, title_id FROM watchlist
        EXCEPT
        SELECT user_id, title_id FROM plays WHERE coalesce(watched_s, 0) >= 60
        """
    ).createOrReplaceTempView("v_unseen")
    return spark.sql(
        """
        SELECT u.user_id, u.country, t.title_name, size(coalesce(t.genres, array())) AS n_genres
        FROM v_unseen v
        JOIN users u ON u.user_id = v.user_id
        LEFT JOIN titles t ON t.title_id = v.title_id
        """
    )
