# title: The DataFrame code becomes one SQL statement with common table expressions.
# expect: equivalent
# why: step-by-step translation; '\\.' in the SQL literal is the same regex, LIKE '%google.%' equals contains, nvl(trim(x), '') = '' equals the null-or-blank test.

QUERY = r"""
WITH parts AS (
    SELECT
        visitor_id,
        url,
        referrer,
        regexp_replace(
            lower(regexp_extract(url, '^https?://([^/?#]+)', 1)), '^www\\.', ''
        ) AS host,
        regexp_replace(
            regexp_extract(url, '^https?://[^/?#]+([^?#]*)', 1), '/+$', ''
        ) AS raw_path,
        lower(regexp_extract(url, '[?&]utm_source=([^&#]+)', 1)) AS utm_source
    FROM page_hits
    WHERE hit_on >= DATE '2024-03-01'
),
classified AS (
    SELECT
        host,
        IF(raw_path = '', '/', raw_path) AS path,
        CASE
            WHEN utm_source <> '' THEN utm_source
            WHEN nvl(trim(referrer), '') = '' THEN 'direct'
            WHEN lower(referrer) LIKE '%google.%' THEN 'search'
            ELSE 'referral'
        END AS source,
        visitor_id,
        url
    FROM parts
    WHERE host <> ''
)
SELECT host, path, source, COUNT(*) AS hits, COUNT(DISTINCT visitor_id) AS visitors,
       MAX(LENGTH(url)) AS longest_url
FROM classified
GROUP BY host, path, source
HAVING COUNT(*) >= 2
"""


def build(spark):
    return spark.sql(QUERY)
