select
    product_id,
    upper(trim(sku)) as sku,
    name as product_name,
    {{ clean_string('category') }} as category,
    {{ cents_to_amount('unit_price_cents') }} as list_price,
    {{ cents_to_amount('cost_cents') }} as unit_cost,
    is_active
from {{ source('raw', 'products') }}
