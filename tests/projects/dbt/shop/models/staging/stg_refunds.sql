select
    refund_id,
    payment_id,
    {{ cents_to_amount('amount_cents') }} as refund_amount,
    reason,
    cast(refunded_at as date) as refund_date
from {{ source('raw', 'refunds') }}
where amount_cents is not null
