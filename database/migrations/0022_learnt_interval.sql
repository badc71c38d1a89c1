-- The real reporting interval, learned by the device link from the readings; null while it equals
-- upload_seconds. Code that checks the age of a value reads interval_seconds.
alter table devices add column learnt_seconds integer;
alter table devices
  add column interval_seconds integer not null generated always as (greatest(upload_seconds, learnt_seconds)) stored;
