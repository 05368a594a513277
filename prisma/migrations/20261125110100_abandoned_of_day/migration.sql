-- How many requests of an account's day were abandoned, and what they cost. They only grow, and every check of the books
-- compares them with their records: a CHECK would be paid for by every request.
ALTER TABLE account_day
  ADD COLUMN abandoned_requests integer NOT NULL DEFAULT 0,
  ADD COLUMN abandoned_nano bigint NOT NULL DEFAULT 0;
