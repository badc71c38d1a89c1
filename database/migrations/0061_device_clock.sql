-- The correction by which expiries are sent to a device. It is known from the first message on; `skew_ms` places
-- readings in history and is believed later.
alter table device_state add column clock_ms bigint not null default 0;
update device_state set clock_ms = skew_ms;
-- A clock of another year does not fit 32 bits, and a line could not be opened for it.
alter table commands alter column skew_ms type bigint;
