select
    order_item_id,
    order_id,
    product_id,
    quantity,
    {{ cents_to_amount('unit_price_cents') }} as unit_price,
    coalesce(discount_pct, cast(0 as decimal(5, 2))) as discount_pct
from {{ source('raw', 'order_items') }}
where quantity > 0
