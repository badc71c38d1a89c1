-- The most power that a line's energy register proves, where it is more than the line's rating allows. Energy is counted
-- up to it, and it proposes a rating.
create table line_capacity (
  line_id integer primary key references lines (id) on delete cascade,
  max_kw double precision not null
);
comment on column rollup_minute.energy_flags is
  '1 estimated over a gap, 2 register reset, 4 integrated from power, 8 spike quarantined, 16 unallocated gap, 32 above the rating';
