-- A phone number brings its account the alarms of a contact with that number. One that the account's owner changed
-- counts only when an administrator has confirmed it. Numbers of before this migration count as confirmed.
alter table users add column mobile_proved_at timestamptz;
update users set mobile_proved_at = created_at where mobile <> '';
create index users_mobile on users (mobile) where mobile <> '' and deleted_at is null;
