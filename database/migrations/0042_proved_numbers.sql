-- An account gets the alarms of a contact with its phone number. If the owner of the account changes the
-- number, it counts only after an administrator has confirmed it. Numbers from before this migration count as
-- confirmed.
alter table users add column mobile_proved_at timestamptz;
update users set mobile_proved_at = created_at where mobile <> '';
create index users_mobile on users (mobile) where mobile <> '' and deleted_at is null;
