-- A report says which of position, trip and lock it carries (bits 1, 2 and 4): a fact that it lacks keeps its value and
-- its own time, a fact that it carries as null has a faulty sensor.
alter type line_report add attribute carries smallint;
