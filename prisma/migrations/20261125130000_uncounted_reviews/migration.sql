-- The tokens of a review could not be counted: they are an estimate, and its amount is that of the estimate.
ALTER TABLE billing_review ADD COLUMN uncounted boolean NOT NULL DEFAULT false;
