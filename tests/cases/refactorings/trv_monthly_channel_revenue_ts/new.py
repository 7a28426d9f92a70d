# title: Migrated to SQL; timestamp compared with the last day's midnight, bookings during the last day of the month are lost
# expect: inequivalent
# kind: timestamp bounds
def build(spark, month="2024-03-01"):
    return spark.sql(
        f"""
        WITH b AS (
            SELECT hotel_id,
                   COALESCE(LOWER(TRIM(channel)), 'unknown') AS channel,
                   COALESCE(status = 'CANCELLED', FALSE) AS cancelled,
                   total_amount,
                   DATEDIFF(checkin, CAST(booked_at AS DATE)) AS lead_days
            FROM bookings
            WHERE booked_at BETWEEN DATE'{month}' AND LAST_DAY(DATE'{month}')
        )
        SELECT b.channel, COALESCE(h.stars, 0) AS stars,
               COUNT(*) AS n_bookings,
               COUNT_IF(b.cancelled) AS n_cancelled,
               SUM(IF(b.cancelled, NULL, b.total_amount)) AS revenue,
               MAX(b.lead_days) AS max_lead_days
        FROM b JOIN hotels h ON h.hotel_id = b.hotel_id
        GROUP BY b.channel, COALESCE(h.stars, 0)
        """
    )
