select
    o.order_id,
    o.customer_id,
    o.order_status,
    o.order_date,
    o.channel,
    o.shipping_amount,
    coalesce(t.item_count, 0) as item_count,
    coalesce(t.discounted_item_count, 0) as discounted_item_count,
    coalesce(t.net_amount, 0) as net_amount,
    coalesce(p.card_amount, 0) as card_amount,
    coalesce(p.paypal_amount, 0) as paypal_amount,
    coalesce(p.voucher_amount, 0) as voucher_amount,
    coalesce(p.paid_amount, 0) as paid_amount,
    datediff(cast(o.shipped_at as date), o.order_date) as days_to_ship
from {{ ref('stg_orders') }} o
left join {{ ref('int_order_totals') }} t
    on o.order_id = t.order_id
left join {{ ref('int_order_payments') }} p
    on o.order_id = p.order_id
where o.order_status <> 'draft'
