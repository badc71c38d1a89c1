-- The oldest and newest reading of the hour that the rollups do not contain yet; null: the whole hour.
alter table rollup_dirty add column since timestamptz, add column until timestamptz;
-- Until now rounds repeated the twelve minutes before their last one. From here on they go back to this instant only.
update settings set value = to_jsonb(value::float8 - 720000) where key = 'rollups.through';
