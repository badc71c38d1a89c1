-- The address of a webhook and its signing key are secrets, because chat robots have their key in the
-- address. Both are encrypted together with the key file in DATA_DIR; webhook_url is then the address without
-- its keys. Each start encrypts values that are still in plain text; webhook_secret only ever contains such a
-- value.
alter table notices add column sealed_webhook text check (sealed_webhook is null or channel = 'webhook');
