with orders as (

    select
        order_id,
        customer_id,
        order_date,
        order_status,
        net_amount
    from {{ ref('fct_orders') }}

),

countries as (

    select
        country_code,
        region,
        vat_rate
    from {{ ref('country_codes') }}

)

select
    cc.region,
    d.country_code,
    date_trunc('month', o.order_date) as order_month,
    count(*) as order_count,
    sum(o.net_amount) as net_amount,
    sum(cast(o.net_amount * cc.vat_rate / 100 as decimal(18, 2))) as vat_amount,
    {{ safe_ratio('sum(o.net_amount)', 'count(distinct d.customer_id)', scale=2) }} as net_amount_per_customer
from orders o
inner join {{ ref('dim_customers') }} d
    on o.customer_id = d.customer_id
inner join countries cc
    on d.country_code = cc.country_code
where o.order_date >= date '{{ var("min_order_date") }}'
    and o.order_status <> 'cancelled'
group by cc.region, d.country_code, date_trunc('month', o.order_date)
