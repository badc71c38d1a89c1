-- Maintenance records. A record stays with its project, even if the device leaves.
create table maintenance_records (
  id integer generated always as identity primary key,
  kind text not null check (kind in ('routine', 'inspection', 'repair', 'replacement')),
  project_id integer not null references projects (id),
  part_id integer, -- part of the device at that time: users who manage only parts see the records of their parts
  device_id integer references devices (id),
  device_number text not null,
  device_name text not null,
  address text not null,
  maintenance_time timestamptz not null,
  handler_name text not null,
  handler_phone text not null,
  content text not null,
  fault_content text not null,
  result text not null,
  suggestion text not null,
  before_images uuid[] not null,
  after_images uuid[] not null,
  lines jsonb not null,  -- [{line_id, n, name}] with the names at that time
  alarms jsonb not null, -- [{id, work_order, typeNumber}]
  author_id integer not null references users (id),
  created_at timestamptz not null,
  revision integer not null default 1,
  deleted_at timestamptz
);
create index maintenance_time on maintenance_records (maintenance_time desc, id desc) where deleted_at is null;
create index maintenance_project on maintenance_records (project_id, maintenance_time desc, id desc)
  where deleted_at is null;
create index maintenance_device on maintenance_records (device_id, maintenance_time desc) where deleted_at is null;
create index maintenance_alarms on maintenance_records using gin (alarms jsonb_path_ops) where deleted_at is null;
create index maintenance_before on maintenance_records using gin (before_images);
create index maintenance_after on maintenance_records using gin (after_images);
create index maintenance_number on maintenance_records using gin (device_number gin_trgm_ops);
