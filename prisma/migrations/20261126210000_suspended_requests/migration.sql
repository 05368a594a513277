ALTER TYPE usage_outcome ADD VALUE 'suspended' AFTER 'shutdown';
