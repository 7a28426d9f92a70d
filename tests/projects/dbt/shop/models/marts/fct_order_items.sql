{{
    config(
        materialized='incremental',
        incremental_strategy='insert_overwrite',
        partition_by=['order_date'],
        file_format='parquet'
    )
}}

select
    i.order_item_id,
    i.order_id,
    i.product_id,
    i.category,
    o.customer_id,
    o.order_status,
    i.quantity,
    i.gross_amount,
    i.net_amount,
    i.cost_amount,
    o.order_date
from {{ ref('int_order_items_priced') }} i
inner join {{ ref('stg_orders') }} o
    on i.order_id = o.order_id
{% if is_incremental() %}
where o.order_date >= (select date_sub(max(order_date), 3) from {{ this }})
{% endif %}
