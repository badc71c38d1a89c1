-- Further contacts of a project, besides the project's own contact.
create table persons (
  id integer generated always as identity primary key,
  name text not null,
  mobile text not null,
  position text not null default '',
  note text not null default '',
  created_at timestamptz not null,
  revision integer not null default 1
);
create index persons_created on persons (created_at desc, id desc);
create index persons_search on persons using gin (name gin_trgm_ops, mobile gin_trgm_ops, position gin_trgm_ops);

create table person_projects (
  person_id integer not null references persons (id) on delete cascade,
  project_id integer not null references projects (id),
  primary key (person_id, project_id)
);
create index person_projects_project on person_projects (project_id, person_id);
