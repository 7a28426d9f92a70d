select
    payment_id,
    order_id,
    {{ clean_string('payment_method') }} as payment_method,
    {{ clean_string('payment_status') }} as payment_status,
    {{ cents_to_amount('amount_cents') }} as amount,
    cast(paid_at as date) as paid_date
from {{ source('raw', 'payments') }}
