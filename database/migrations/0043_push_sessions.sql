-- A console that signs out gets no more pushes. Subscriptions from before this migration belong to no
-- session.
alter table push_subscriptions add column token_hash bytea;
create index push_subscriptions_session on push_subscriptions (token_hash) where token_hash is not null;
