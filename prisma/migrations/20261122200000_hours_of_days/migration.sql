-- A day's sums by the hour, written once: what an account reads of a month by the hour is thirty rows, not 720. Null: the
-- day was summed before, and its hours are read one by one.
ALTER TABLE usage_sum ADD COLUMN hours text;
