-- Events of a device that an active alarm, or a condition without an alarm, includes beside the one that it is named
-- after, and whether that one has ended. Null: only that one is open.
alter table alarms add column open_events jsonb;
alter table line_conditions add column open_events jsonb;
