# title: DataFrame union ported to SQL UNION, which removes repeated touches of a contact on a day
# expect: inequivalent
# kind: union all vs distinct
def build(spark):
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW touches AS
        SELECT campaign_id, lower(trim(recipient)) AS contact, cast(sent_at AS date) AS day, 'mail' AS via
        FROM sends WHERE opened AND campaign_id IS NOT NULL AND recipient IS NOT NULL
        UNION
        SELECT campaign_id, lower(visitor_id) AS contact, cast(event_ts AS date) AS day, 'web' AS via
        FROM events WHERE event_type IN ('click', 'page_view') AND campaign_id IS NOT NULL AND visitor_id IS NOT NULL
    """)
    return spark.sql("""
        WITH daily AS (
            SELECT campaign_id, day, count(*) AS touches, count(DISTINCT contact) AS contacts
            FROM touches GROUP BY campaign_id, day
        )
        SELECT c.campaign_id, c.campaign_name, d.day, coalesce(d.touches, 0) AS touches, coalesce(d.contacts, 0) AS contacts
        FROM campaigns c LEFT JOIN daily d ON c.campaign_id = d.campaign_id
    """)
