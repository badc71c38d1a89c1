-- Maintenance of the database: backups, optimising, repairs, restores, drills. One row per job, which
-- continues when the page is left and is started again when its server has ended. Neither backed up nor
-- restored, because it describes this installation's own work.
create table maintenance_jobs (
  id uuid primary key,
  kind text not null check (kind in ('backup', 'optimise', 'repair', 'restore', 'drill')),
  cause text not null check (cause in ('manual', 'schedule')),
  -- 'swapping': staged and checked; the next start replaces the present data with it
  state text not null check (state in ('queued', 'running', 'swapping', 'done', 'failed', 'cancelled')),
  tables text[],        -- null: all
  backup text,          -- name of the backup that is made, restored or tested
  passphrase bytea,     -- encrypted with a key in DATA_DIR; deleted when the job has ended
  user_id integer,
  operator text not null,
  step text,            -- the table that is being processed
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
