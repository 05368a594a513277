-- Whether the request was charged, and this is what its upstream did beyond that for a client who had left.
ALTER TABLE abandoned_request ADD COLUMN is_rest boolean NOT NULL DEFAULT false;
