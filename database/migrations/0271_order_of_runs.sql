-- The newest command of the line's device when the run was claimed. A close does not follow an open with a higher
-- number. 0: a run that an earlier version claimed closes no line that was ever opened.
alter table timer_runs add column after_number bigint not null default 0;
