-- Chinese names are found by a single character, and by pinyin that begins at any of their syllables. The
-- content of this table is derived: the job `searchNames` fills it again with the names in use.
drop table search_names;
create table search_names (
  name text primary key,
  -- Single characters and pairs of neighbouring characters, because neither has a trigram.
  pieces text[] not null,
  -- The pinyin of the name from each syllable on, in full and as initials, each after a space: ' shenzhenwan
  -- zhenwan wan szw zw w'.
  starts text not null
);
create index search_names_pieces on search_names using gin (pieces);
-- pg_trgm indexes the beginning of words, so ' zw' is found although it is shorter than a trigram.
create index search_names_starts on search_names using gin (starts gin_trgm_ops);
