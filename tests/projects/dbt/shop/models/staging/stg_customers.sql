with source as (

    select * from {{ source('raw', 'customers') }}

)

select
    customer_id,
    initcap({{ clean_string('first_name') }}) as first_name,
    initcap({{ clean_string('last_name') }}) as last_name,
    {{ clean_string('email') }} as email,
    upper(trim(country_code)) as country_code,
    birth_date,
    cast(signup_at as date) as signup_date,
    coalesce(marketing_opt_in, false) as marketing_opt_in
from source
where customer_id is not null
