-- The owner of an account changes its name and its low-balance threshold, which is noted as what they do to a credential is.
ALTER TYPE credential_kind ADD VALUE 'account' AFTER 'session';
