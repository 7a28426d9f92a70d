with source as (

    select * from {{ source('raw', 'orders') }}

),

renamed as (

    select
        order_id,
        customer_id,
        {{ clean_string('order_status') }} as order_status,
        ordered_at,
        cast(ordered_at as date) as order_date,
        shipped_at,
        channel,
        {{ cents_to_amount('shipping_cents', precision=10) }} as shipping_amount
    from source

)

select * from renamed
where order_id is not null
