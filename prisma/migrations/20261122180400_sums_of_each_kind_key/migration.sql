-- It takes the place of the primary key, and its name.
ALTER TABLE usage_sum
  DROP CONSTRAINT usage_sum_pkey,
  ADD CONSTRAINT usage_sum_pkey PRIMARY KEY USING INDEX usage_sum_of_each_kind;
