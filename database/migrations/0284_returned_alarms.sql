-- Active alarms of which late readings show that their condition had ended and may have begun again since. A row is
-- kept until the engine has taken it into account.
create table returned_alarms (
  alarm_id bigint primary key,
  line_id integer not null,
  gone_at timestamptz not null, -- the reading that shows the end
  again_at timestamptz          -- since when live readings show the condition again; null: none does yet
);
