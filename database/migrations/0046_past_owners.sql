-- The former projects of a device, and until when it belonged to each. Every query about events of a device
-- is limited by this: the new owner sees nothing from before, and the former owner nothing from after.
create table device_past_owners (
  device_id integer not null references devices (id),
  project_id integer not null references projects (id),
  part_id integer,
  until timestamptz not null
);
create index device_past_owners_device on device_past_owners (device_id, until);
