-- Feedback from users to the administrators. The project is that of the author at that time.
create table feedback (
  id integer generated always as identity primary key,
  user_id integer not null references users (id),
  project_id integer references projects (id),
  type text not null,
  contact text not null default '',
  content text not null,
  at timestamptz not null,
  reply text,
  replied_at timestamptz,
  replied_by integer references users (id)
);
create index feedback_at on feedback (at desc, id desc);
create index feedback_user on feedback (user_id, id desc);
create index feedback_project on feedback (project_id, id desc);
