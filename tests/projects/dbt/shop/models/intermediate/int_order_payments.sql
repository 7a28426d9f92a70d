{{ config(materialized='ephemeral') }}

{%- set payment_methods = ['card', 'paypal', 'voucher'] %}

select
    order_id,
    {%- for method in payment_methods %}
    sum(case when payment_method = '{{ method }}' then amount else 0 end) as {{ method }}_amount,
    {%- endfor %}
    sum(amount) as paid_amount
from {{ ref('stg_payments') }}
where payment_status = 'success'
group by order_id
