# title: lead over event_no replaced by a self join on event_no + 1, wrong when event numbers of a claim have gaps
# expect: inequivalent
# kind: self join
def build(spark):
    return spark.sql("""
        SELECT c.claim_id, c.cause, e.event_no, e.status,
               n.status AS next_status,
               datediff(n.event_at, e.event_at) AS days_open,
               n.status IS NULL AS is_last
        FROM claims c
        JOIN claim_events e ON e.claim_id = c.claim_id
        LEFT JOIN claim_events n ON n.claim_id = e.claim_id AND n.event_no = e.event_no + 1
    """)
