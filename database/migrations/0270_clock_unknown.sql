-- The server's clock stepped, and no live message has shown since by how much the device's clock differs.
alter table device_state add column clock_unknown boolean not null default false;
