-- Manual corrections of energy. Rows are only added: a withdrawal is another row that names the withdrawn
-- one.
create table energy_corrections (
  id integer generated always as identity primary key,
  line_id integer not null references lines (id),
  project_id integer references projects (id),
  from_at timestamptz not null,
  to_at timestamptz not null,
  before_kwh double precision not null,
  after_kwh double precision not null,
  reason text not null,
  undoes integer unique references energy_corrections (id),
  user_id integer not null,
  operator text not null,
  created_at timestamptz not null
);
create index energy_corrections_line on energy_corrections (line_id, from_at);
create index energy_corrections_project on energy_corrections (project_id, id);
-- The energy that each correction adds to each quarter of an hour.
create table energy_correction_parts (
  line_id integer not null,
  bucket timestamptz not null,
  correction_id integer not null references energy_corrections (id),
  kwh double precision not null,
  primary key (line_id, bucket, correction_id)
);
create index energy_correction_parts_correction on energy_correction_parts (correction_id);

-- Price and emissions of a kilowatt-hour from a day on, until the next version. Without a project: for the
-- installation.
create table tariffs (
  id integer generated always as identity primary key,
  project_id integer references projects (id),
  valid_from date not null,
  content jsonb not null,
  operator text not null,
  updated_at timestamptz not null,
  revision integer not null default 1,
  unique nulls not distinct (project_id, valid_from)
);
