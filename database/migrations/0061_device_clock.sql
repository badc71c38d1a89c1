-- The clock correction for expiries that are sent to a device. It is known from the first message on;
-- `skew_ms` places readings in history and needs more messages.
alter table device_state add column clock_ms bigint not null default 0;
update device_state set clock_ms = skew_ms;
-- A clock that is wrong by a year does not fit in 32 bits, and then a line could not be opened.
alter table commands alter column skew_ms type bigint;
