-- Where a rule posts to and what signs its posts are secrets: robots of chats keep their key in the address. Both are
-- sealed together with the key file of DATA_DIR; webhook_url is then the address without its keys. A start seals what
-- is in clear here; webhook_secret only ever holds such a one.
alter table notices add column sealed_webhook text check (sealed_webhook is null or channel = 'webhook');
