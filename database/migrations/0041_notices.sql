-- People who were notified of an alarm are notified of its end.
alter table deliveries drop constraint deliveries_kind_check;
alter table deliveries add constraint deliveries_kind_check
  check (kind in ('raised', 'escalated', 'urged', 'reminder', 'digest', 'cleared', 'test'));
create index deliveries_lead on deliveries (lead_id) where lead_id is not null;

alter table alarm_notices add column over_at timestamptz; -- when the all-clear was planned
update alarm_notices n set over_at = n.checked_at
  where not exists (select from alarms a where a.line_id = n.line_id and a.id = n.alarm_id and a.cleared_at is null);
create index alarm_notices_open on alarm_notices (alarm_id) where over_at is null;
