-- Who had a device before its present project, and until when. Every read of what happened with a device is cut by it:
-- the new owner sees nothing from before, the former one nothing from after.
create table device_past_owners (
  device_id integer not null references devices (id),
  project_id integer not null references projects (id),
  part_id integer,
  until timestamptz not null
);
create index device_past_owners_device on device_past_owners (device_id, until);
