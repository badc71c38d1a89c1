-- Work on the database: backups, optimising, repairs, restores, drills. One row a job; it goes on when its page is left
-- and is taken up again when its server ends. Neither backed up nor restored: it is about this installation's work.
create table maintenance_jobs (
  id uuid primary key,
  kind text not null check (kind in ('backup', 'optimise', 'repair', 'restore', 'drill')),
  cause text not null check (cause in ('manual', 'schedule')),
  -- 'swapping': staged and checked; the next start puts it in the place of what is there
  state text not null check (state in ('queued', 'running', 'swapping', 'done', 'failed', 'cancelled')),
  tables text[],        -- null: all
  backup text,          -- name of the backup that is made, restored or proved
  passphrase bytea,     -- sealed with a key below DATA_DIR; gone when the job has ended
  user_id integer,
  operator text not null,
  step text,            -- the table at hand
  done bigint not null default 0,
  total bigint not null default 0,
  attempts integer not null default 0,
  cancel_asked boolean not null default false,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  fault text,
  fault_with jsonb not null default '{}',
  result jsonb not null default '{}'
);
create index maintenance_jobs_created on maintenance_jobs (created_at desc, id);
create index maintenance_jobs_open on maintenance_jobs (created_at) where state in ('queued', 'running', 'swapping');
create index maintenance_jobs_proofs on maintenance_jobs (ended_at desc) where kind = 'drill';
