-- The unit of an alarm's value, peak and threshold, if the device gave one that cannot be converted to the
-- unit of the type.
alter table alarms add column unit text;
-- Power factor was stored in per cent and is a ratio from now on.
update alarms set value = value / 100, peak = peak / 100, threshold = threshold / 100, value_type = 14
where code = 206 and value_type = 7;
