-- the tracker sends events more than once
select distinct
    event_id,
    session_id,
    customer_id,
    {{ clean_string('event_type') }} as event_type,
    {{ clean_string('device') }} as device,
    event_ts
from {{ source('raw', 'web_events') }}
where session_id is not null
