-- The browser of a subscription, by the token that its last sign-in gave it: the next sign-in there takes the
-- subscription over, or ends it if it is another user's.
alter table push_subscriptions add column browser_hash bytea;
create index push_subscriptions_browser on push_subscriptions (browser_hash) where browser_hash is not null;
