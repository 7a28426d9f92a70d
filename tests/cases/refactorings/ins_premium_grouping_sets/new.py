# title: union of three group-bys replaced by GROUPING SETS with the level from grouping(), the same sets without a grand total
# expect: equivalent
# kind: grouping sets
def build(spark):
    spark.sql("""
        SELECT p.*, CASE WHEN a.agent_id IS NULL THEN 'direct' ELSE 'agent' END AS channel
        FROM policies p LEFT JOIN agents a ON p.agent_id = a.agent_id
    """).createOrReplaceTempView("book")
    report = spark.sql("""
        SELECT CASE WHEN grouping(product) = 1 THEN 'region'
                    WHEN grouping(region) = 1 THEN 'product'
                    ELSE 'detail' END AS level,
               region, product,
               sum(annual_premium) AS premium,
               count(*) AS policies,
               count(DISTINCT holder_id) AS holders,
               count_if(end_date IS NULL) AS open_ended
        FROM book
        GROUP BY GROUPING SETS ((region, product), (region), (product))
    """)
    channels = spark.sql(
        "SELECT channel, product, sum(annual_premium) AS premium FROM book GROUP BY channel, product"
    )
    return {"report": report, "channels": channels}
