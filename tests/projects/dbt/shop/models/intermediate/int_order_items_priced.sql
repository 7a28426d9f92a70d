{{ config(materialized='ephemeral') }}

with items as (

    select * from {{ ref('stg_order_items') }}

),

products as (

    select * from {{ ref('stg_products') }}

)

select
    i.order_item_id,
    i.order_id,
    i.product_id,
    p.category,
    i.quantity,
    cast(i.quantity * i.unit_price as decimal(14, 2)) as gross_amount,
    cast(i.quantity * i.unit_price * (100 - i.discount_pct) / 100 as decimal(14, 2)) as net_amount,
    cast(i.quantity * p.unit_cost as decimal(14, 2)) as cost_amount
from items i
inner join products p
    on i.product_id = p.product_id
