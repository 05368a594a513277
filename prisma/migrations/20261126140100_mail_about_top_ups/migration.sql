ALTER TYPE mail_kind ADD VALUE 'top_up_off' AFTER 'low_balance';
