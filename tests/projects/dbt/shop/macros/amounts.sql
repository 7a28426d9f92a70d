{% macro cents_to_amount(column_name, precision=12) %}
    cast(cast({{ column_name }} as decimal(18, 0)) / 100 as decimal({{ precision }}, 2))
{%- endmacro %}

{% macro safe_ratio(numerator, denominator, scale=4) -%}
case
        when {{ denominator }} = 0 then null
        else cast({{ numerator }} / {{ denominator }} as decimal(18, {{ scale }}))
    end
{%- endmacro %}
