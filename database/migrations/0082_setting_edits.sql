-- Changes of the installation's settings: who, when, from which value to which.
create table setting_edits (
  id bigint generated always as identity primary key,
  name text not null,        -- group and name, such as 'control.evidenceS'
  at timestamptz not null,
  user_id integer,
  operator text not null,
  before jsonb not null,
  after jsonb not null
);
create index setting_edits_name on setting_edits (name, id desc);
