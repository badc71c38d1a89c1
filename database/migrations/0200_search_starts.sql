-- Chinese names are found by a single character, and by pinyin that begins at any of their syllables. What this table
-- holds is derived: the job `searchNames` fills it again with the names in use.
drop table search_names;
create table search_names (
  name text primary key,
  -- Each character and each pair of neighbours, because neither has a trigram.
  pieces text[] not null,
  -- What the name reads as from each syllable on, in full and in first letters, a blank before each:
  -- ' shenzhenwan zhenwan wan szw zw w'.
  starts text not null
);
create index search_names_pieces on search_names using gin (pieces);
-- pg_trgm knows where a word begins, so ' zw' is found by its index though it is shorter than a trigram.
create index search_names_starts on search_names using gin (starts gin_trgm_ops);
