-- An alarm enters this table in the transaction that writes it. Until its notices are planned, planned_at is null.
alter table alarm_notices alter planned_at drop not null;

-- Alarms that a user asked to have announced again, and that are still to be handled.
drop index alarms_urged;
create index alarms_urged on alarms (id) where urged > 0 and not processed;
