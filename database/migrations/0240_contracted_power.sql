-- Power that the supply contract of a site allows, kW. The overview compares the load with it.
alter table projects add column contract_kw double precision check (contract_kw > 0);
