-- The last report of each node about itself. A node that ends in order deletes its row.
create table node_reports (
  node uuid primary key,
  name text not null,
  role text not null,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  facts jsonb not null
);

-- Present problems of the product, since when, and whether administrators were notified.
create table health_problems (
  code text not null,
  subject text not null,       -- the node or job it concerns; '': the whole product
  since timestamptz not null,
  seen_at timestamptz not null,
  told_at timestamptz,
  facts jsonb not null,
  primary key (code, subject)
);
