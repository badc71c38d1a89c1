-- The unit of an alarm's value, peak and threshold, where a device gave one that cannot be converted into its type's.
alter table alarms add column unit text;
-- Power factor is a ratio, no longer per cent.
update alarms set value = value / 100, peak = peak / 100, threshold = threshold / 100, value_type = 14
where code = 206 and value_type = 7;
