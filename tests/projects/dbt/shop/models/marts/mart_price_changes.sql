{{ config(materialized='view') }}

select
    product_id,
    sku,
    {{ cents_to_amount('unit_price_cents') }} as list_price,
    dbt_valid_from as valid_from,
    dbt_valid_to as valid_to,
    dbt_valid_to is null as is_current
from {{ ref('snap_products') }}
