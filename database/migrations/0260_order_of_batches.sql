-- The newest command of the line's device when the batch was asked for. A close does not follow an open with a higher
-- number. 0: a batch of an earlier version closes no line that was ever opened.
alter table batch_lines add column after_number bigint not null default 0;
