-- What each node last said of itself. A node that ends in order takes its row away.
create table node_reports (
  node uuid primary key,
  name text not null,
  role text not null,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  facts jsonb not null
);

-- What is wrong with the product, since when, and whether administrators were told.
create table health_problems (
  code text not null,
  subject text not null,       -- the node or job it concerns; '': the whole product
  since timestamptz not null,
  seen_at timestamptz not null,
  told_at timestamptz,
  facts jsonb not null,
  primary key (code, subject)
);
