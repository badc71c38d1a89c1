-- The oldest and newest reading of the hour that the rollups do not contain yet; null: the whole hour.
alter table rollup_dirty add column since timestamptz, add column until timestamptz;
-- Earlier versions repeated the twelve minutes before the last round. From now on a round goes back only to
-- this instant.
update settings set value = to_jsonb(value::float8 - 720000) where key = 'rollups.through';
