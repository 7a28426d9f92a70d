# title: Payers covering patients but never billed: EXCEPT over ids against NOT IN on a nullable payer_id, which yields nothing once one encounter has a null payer.
# expect: inequivalent
# kind: not in with nulls
def build(spark):
    return spark.sql(
        """
        WITH covered AS (SELECT DISTINCT payer_id FROM coverage)
        SELECT c.payer_id, p.payer_name, p.plan_type
        FROM covered c
        LEFT JOIN payers p USING (payer_id)
        WHERE c.payer_id NOT IN (SELECT payer_id FROM encounters)
        """
    )
