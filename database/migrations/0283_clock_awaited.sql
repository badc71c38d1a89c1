-- The device connected anew, or restarted, and no live message has shown its clock since.
alter table device_state add column clock_awaited boolean not null default false;
