-- Position of a device in the single-line diagram of its project. A device without a row comes after the
-- others.
create table site_places (
  device_id integer primary key references devices (id),
  project_id integer not null references projects (id),
  incoming boolean not null,
  position integer not null
);
