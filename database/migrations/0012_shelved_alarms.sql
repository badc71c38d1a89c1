-- Alarms that an operator has put aside for some hours: a row each while it lasts. What was, is in their history.
create table shelved_alarms (
  alarm_id bigint primary key,
  line_id integer not null,
  level smallint not null, -- a rise above it ends the shelving
  shelved_at timestamptz not null,
  until timestamptz not null,
  user_id integer not null references users (id),
  reason text not null,
  check (until > shelved_at and until <= shelved_at + interval '8 hours')
);
