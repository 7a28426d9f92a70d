select
    c.customer_id,
    c.first_name,
    c.last_name,
    c.email,
    c.country_code,
    cc.country_name,
    c.signup_date,
    o.first_order_date,
    o.last_order_date,
    coalesce(o.order_count, 0) as order_count,
    cast(coalesce(o.lifetime_value, 0) as decimal(24, 2)) as lifetime_value
from {{ ref('stg_customers') }} c
left join {{ ref('int_customer_orders') }} o
    on c.customer_id = o.customer_id
left join {{ ref('country_codes') }} cc
    on c.country_code = cc.country_code
