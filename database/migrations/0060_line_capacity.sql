-- The highest power that the energy register of a line proves, if it is more than the rating allows. Energy
-- is counted up to this power, and it gives the proposed rating.
create table line_capacity (
  line_id integer primary key references lines (id) on delete cascade,
  max_kw double precision not null
);
comment on column rollup_minute.energy_flags is
  '1 estimated over a gap, 2 register reset, 4 integrated from power, 8 spike quarantined, 16 unallocated gap, 32 above the rating';
