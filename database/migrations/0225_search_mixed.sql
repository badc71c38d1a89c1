-- Names are also found by syllables and first letters mixed (`wancx`). What the table holds is derived: the job
-- `searchNames` fills it again, now with a reading of every character.
delete from search_names;
-- Each syllable with a hyphen before it: '-shen-zhen-wan'.
alter table search_names add column spoken text not null;
