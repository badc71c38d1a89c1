-- `carries` has a bit for each fact that the report contains: position 1, trip 2, lock 4. A missing fact
-- keeps its value and its own time; a fact that is contained as null has a faulty sensor.
alter type line_report add attribute carries smallint;
