-- Level 3: it was announced that the alarm tripped its line. Those that tripped before this version are not announced again.
update alarm_notices n set level = 3 from alarms a
where a.line_id = n.line_id and a.id = n.alarm_id and 'trip' = any(a.tags) and n.level > 0;
