-- Scheduled jobs, one row per job. A node holds a lease of a job while it runs it, so that each run happens
-- once however many nodes there are. Jobs with a queue of their own record here only their last result.
create table scheduled_jobs (
  name text primary key,
  next_at timestamptz,         -- null: runs only on request
  asked_at timestamptz,        -- when a run was requested that has not begun
  holder uuid,                 -- the node that runs the job now
  held_until timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  duration_ms integer,
  outcome text check (outcome in ('done', 'failed', 'lost')),
  result jsonb not null default '{}',
  error text,
  failures integer not null default 0,
  runs integer not null default 0
);
