-- The most by which the device's clock may be behind: the expiry of what may close a line follows it.
alter table device_state add column clock_behind_ms bigint not null default 0;
update device_state set clock_behind_ms = clock_ms;
