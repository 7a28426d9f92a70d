# title: Price validity test changed to BETWEEN price_from AND price_to: a purchase at the moment of a price change matches both periods and is counted twice.
# expect: inequivalent
# kind: scd between bounds
def build(spark):
    return spark.sql(
        """
        WITH periods AS (
            SELECT item_id, price_from, coalesce(price_to, TIMESTAMP'9999-12-31 00:00:00') AS price_to,
                   list_price
            FROM item_prices
        ), priced AS (
            SELECT b.item_id, coalesce(pr.list_price * b.quantity, b.amount) AS gross
            FROM purchases b
            LEFT JOIN periods pr
              ON pr.item_id = b.item_id AND b.purchased_at BETWEEN pr.price_from AND pr.price_to
            WHERE NOT (b.status <=> 'VOID')
              AND b.player_id IN (SELECT player_id FROM players)
        )
        SELECT i.category, count(*) AS purchases, sum(p.gross) AS gross
        FROM priced p LEFT JOIN items i ON i.item_id = p.item_id
        GROUP BY i.category
        """
    )
