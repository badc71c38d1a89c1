-- Names are also found by syllables mixed with first letters (`wancx`). The content of the table is derived:
-- the job `searchNames` fills it again, now with the pinyin of every character.
delete from search_names;
-- Each syllable with a hyphen before it: '-shen-zhen-wan'.
alter table search_names add column spoken text not null;
