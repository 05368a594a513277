-- Charges of an account that were given back again and again, since nothing of their responses was written.
ALTER TYPE review_reason ADD VALUE 'response_lost' AFTER 'usage_implausible';
