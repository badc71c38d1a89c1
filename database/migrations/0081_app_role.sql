-- The server works with a role that owns nothing (docs/decisions/0091). Everything that it needs beyond
-- reading and writing rows is in these functions, which run as the owner.

-- Makes the partition of a UTC day and returns whether it was missing. It is made separately and then
-- attached, so that readers and writers of the table do not wait. Several nodes may do this at the same time.
create function make_partition(parent text, day date) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part text := parent || '_' || to_char(day, 'YYYYMMDD');
begin
  if parent not in ('readings', 'rollup_minute') then
    raise exception 'table % has no partitions by day', parent;
  end if;
  perform pg_advisory_xact_lock(hashtext('partitions ' || parent));
  if to_regclass(part) is not null then
    return false;
  end if;
  execute format('create table %I (like %I including all)', part, parent);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part,
    to_char(day, 'YYYY-MM-DD') || 'T00:00:00Z', to_char(day + 1, 'YYYY-MM-DD') || 'T00:00:00Z');
  return true;
end $$;

-- The head of the operation log, locked until the transaction ends.
create function lock_operation_log(out id bigint, out hash bytea)
language sql security definer set search_path = public, pg_temp as $$
  select head.id, head.hash from operation_log_head head for update
$$;

-- Appends rows that continue the chain, in their order, and moves its head. Refuses rows that do not continue
-- it.
create function append_operation_log(given jsonb) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  head operation_log_head;
  last_id bigint;
  last_hash bytea;
begin
  select * into strict head from operation_log_head for update;
  if exists (
    select from (
      select decode(row.previous_hash, 'hex') as previous,
        lag(decode(row.hash, 'hex'), 1, head.hash) over (order by row.n) as expected
      from jsonb_to_recordset(given) as row (n int, previous_hash text, hash text)) link
    where previous is distinct from expected) then
    raise exception 'these rows do not continue the operation log';
  end if;
  with made as (
    insert into operation_log (at, user_id, operator, key, channel, address, request_id, outcome, code, project_id,
      device_id, parameters, previous_hash, hash)
    select at, "userId", operator, key, channel, address, "requestId", outcome, code, "projectId", "deviceId",
      parameters, decode(previous_hash, 'hex'), decode(hash, 'hex')
    from jsonb_to_recordset(given) as row (n int, at timestamptz, "userId" int, operator text, key text, channel text,
      address text, "requestId" text, outcome text, code int, "projectId" int, "deviceId" int, parameters jsonb,
      previous_hash text, hash text)
    order by n
    returning operation_log.id, operation_log.hash)
  select made.id, made.hash into strict last_id, last_hash from made order by made.id desc limit 1;
  update operation_log_head set id = last_id, hash = last_hash;
  return last_id;
end $$;

revoke all on function make_partition, lock_operation_log, append_operation_log from public;
