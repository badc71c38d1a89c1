-- A clock can be wrong by years, which is more milliseconds than an integer holds.
alter table device_state alter column skew_ms type bigint;
