-- How often a device really reports, learnt by the device link from its readings; null while it keeps to upload_seconds.
-- Whatever asks how old a value may be reads interval_seconds.
alter table devices add column learnt_seconds integer;
alter table devices
  add column interval_seconds integer not null generated always as (greatest(upload_seconds, learnt_seconds)) stored;
