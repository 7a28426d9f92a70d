{{ config(tags=['finance', 'daily']) }}

with movements as (

    select
        paid_date as revenue_date,
        amount as paid_amount,
        cast(0 as decimal(12, 2)) as refunded_amount
    from {{ ref('stg_payments') }}
    where payment_status = 'success'

    union all

    select
        refund_date as revenue_date,
        cast(0 as decimal(12, 2)) as paid_amount,
        refund_amount as refunded_amount
    from {{ ref('stg_refunds') }}

)

select
    revenue_date,
    sum(paid_amount) as paid_amount,
    sum(refunded_amount) as refunded_amount,
    sum(paid_amount) - sum(refunded_amount) as net_revenue
from movements
where revenue_date is not null
group by revenue_date
