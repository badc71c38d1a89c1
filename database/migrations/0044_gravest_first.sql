-- The operator's queue: the most severe unprocessed alarm first; of equal severity the active ones, then the
-- newest.
create index alarms_gravest on alarms (severity, (cleared_at is not null), raised_at desc, id desc)
  where handled_at is null and deleted_at is null and suppressed_by is null;
