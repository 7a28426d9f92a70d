{{ config(materialized='view') }}

with valid_orders as (

    select
        o.customer_id,
        o.order_id,
        o.order_date,
        t.net_amount
    from {{ ref('stg_orders') }} o
    left join {{ ref('int_order_totals') }} t
        on o.order_id = t.order_id
    where o.order_status not in ('draft', 'cancelled')

)

select
    customer_id,
    min(order_date) as first_order_date,
    max(order_date) as last_order_date,
    count(distinct order_id) as order_count,
    sum(net_amount) as lifetime_value
from valid_orders
group by customer_id
