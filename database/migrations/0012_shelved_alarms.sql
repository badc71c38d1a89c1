-- Alarms that an operator has shelved for some hours, one row each while they are shelved. Past shelvings are
-- in the history of the alarm.
create table shelved_alarms (
  alarm_id bigint primary key,
  line_id integer not null,
  level smallint not null, -- a higher level ends the shelving
  shelved_at timestamptz not null,
  until timestamptz not null,
  user_id integer not null references users (id),
  reason text not null,
  check (until > shelved_at and until <= shelved_at + interval '8 hours')
);
