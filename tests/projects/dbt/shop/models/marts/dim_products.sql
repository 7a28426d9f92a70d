with sales as (

    select
        product_id,
        sum(quantity) as units_sold,
        sum(net_amount) as net_revenue,
        sum(cost_amount) as cost_amount
    from {{ ref('fct_order_items') }}
    where order_status in ('shipped', 'completed')
    group by product_id

)

select
    p.product_id,
    p.sku,
    p.product_name,
    p.category,
    p.list_price,
    p.is_active,
    coalesce(s.units_sold, 0) as units_sold,
    s.net_revenue,
    {{ safe_ratio('(s.net_revenue - s.cost_amount)', 's.net_revenue') }} as margin_ratio
from {{ ref('stg_products') }} p
left join sales s
    on p.product_id = s.product_id
