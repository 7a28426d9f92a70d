with events as (

    select * from {{ ref('stg_web_events') }}

),

bot_sessions as (

    select session_id
    from events
    where device = 'bot'

)

select
    e.session_id,
    max(e.customer_id) as customer_id,
    min(e.event_ts) as session_start,
    max(e.event_ts) as session_end,
    count(*) as event_count,
    max(case when e.event_type = 'purchase' then 1 else 0 end) as has_purchase
from events e
where not exists (
    select 1
    from bot_sessions b
    where b.session_id = e.session_id
)
group by e.session_id
