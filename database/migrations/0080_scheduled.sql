-- Work that runs by the clock, one row a job. A node holds a job by a lease while it runs it, so that each run happens
-- once however many nodes there are. Jobs with a queue of their own note here what they last did.
create table scheduled_jobs (
  name text primary key,
  next_at timestamptz,         -- null: only when somebody asks
  asked_at timestamptz,        -- somebody asked for a run that has not begun
  holder uuid,                 -- the node that runs it now
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
