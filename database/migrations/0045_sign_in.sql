-- Failed sign-ins by account and network, for administrators. An account that does not exist counts under ''.
create table failed_sign_ins (
  account text not null,
  network text not null,
  failures integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (account, network)
);
create index failed_sign_ins_last on failed_sign_ins (last_at desc);

-- Browsers in which a user has signed in before. Guesses by strangers elsewhere do not delay these browsers.
create table known_browsers (
  token_hash bytea primary key,
  user_id integer not null references users (id),
  used_at timestamptz not null
);
create index known_browsers_user on known_browsers (user_id, used_at desc);
