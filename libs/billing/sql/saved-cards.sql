-- The card that automatic top-ups charge. The worker saves what Stripe returned, never what the account service says.

-- Saves the card that a customer entered on Stripe's page, once for each page. Outcomes: `applied`, `repeated`,
-- `superseded` (a card of a later page was saved before: Stripe shall forget this one), `mismatched` (the page's
-- session is another) and `unknown_checkout`.
CREATE OR REPLACE FUNCTION payment_save_card(
  p_setup_id uuid,
  p_session_id text,
  p_customer_id text,
  p_payment_method_id text,
  p_brand text,
  p_last_four text,
  p_expiry_month int,
  p_expiry_year int
) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_setup card_setup;
BEGIN
  SELECT * INTO v_setup FROM card_setup WHERE id = p_setup_id;
  IF NOT FOUND THEN RETURN 'unknown_checkout'; END IF;
  -- Two cards of an account are saved one after the other.
  PERFORM pg_advisory_xact_lock(hashtextextended('card:' || v_setup.account_id, 0));
  UPDATE card_setup SET saved_at = clock_timestamp()
  WHERE id = p_setup_id AND saved_at IS NULL AND stripe_session_id IS NOT DISTINCT FROM p_session_id;
  IF NOT FOUND THEN
    RETURN CASE WHEN v_setup.stripe_session_id IS DISTINCT FROM p_session_id THEN 'mismatched' ELSE 'repeated' END;
  END IF;
  PERFORM FROM card_setup WHERE account_id = v_setup.account_id AND id > p_setup_id AND saved_at IS NOT NULL;
  IF FOUND THEN
    INSERT INTO card_removal (stripe_payment_method_id) VALUES (p_payment_method_id) ON CONFLICT DO NOTHING;
    RETURN 'superseded';
  END IF;

  INSERT INTO card_removal (stripe_payment_method_id)
  SELECT stripe_payment_method_id FROM saved_card
  WHERE account_id = v_setup.account_id AND stripe_payment_method_id <> p_payment_method_id
  ON CONFLICT DO NOTHING;
  INSERT INTO saved_card (account_id, stripe_customer_id, stripe_payment_method_id, brand, last_four, expiry_month,
                          expiry_year, saved_at)
  VALUES (v_setup.account_id, p_customer_id, p_payment_method_id, p_brand, p_last_four, p_expiry_month, p_expiry_year,
          clock_timestamp())
  ON CONFLICT (account_id) DO UPDATE
  SET stripe_customer_id = excluded.stripe_customer_id, stripe_payment_method_id = excluded.stripe_payment_method_id,
      brand = excluded.brand, last_four = excluded.last_four, expiry_month = excluded.expiry_month,
      expiry_year = excluded.expiry_year, saved_at = excluded.saved_at;
  PERFORM payment_note_change(v_setup.account_id);
  RETURN 'applied';
END $$;

-- Records a saved card as Stripe describes it now, e.g. with a new expiry.
CREATE OR REPLACE FUNCTION payment_update_card(
  p_payment_method_id text, p_brand text, p_last_four text, p_expiry_month int, p_expiry_year int
) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE saved_card SET brand = p_brand, last_four = p_last_four, expiry_month = p_expiry_month, expiry_year = p_expiry_year
  WHERE stripe_payment_method_id = p_payment_method_id;
  RETURN CASE WHEN FOUND THEN 'applied' ELSE 'no_change' END;
END $$;

-- Drops a saved card that Stripe has no more, with the automatic top-up that it paid, and mails the owner.
CREATE OR REPLACE FUNCTION payment_drop_card(p_payment_method_id text) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_account_id uuid;
BEGIN
  DELETE FROM saved_card WHERE stripe_payment_method_id = p_payment_method_id RETURNING account_id INTO v_account_id;
  IF NOT FOUND THEN RETURN 'no_change'; END IF;
  PERFORM payment_note_change(v_account_id);
  PERFORM top_up_switch_off(v_account_id, 'card');
  RETURN 'applied';
END $$;

-- Removes the card of an account at its owner's request: automatic top-up ends with it, and the worker has Stripe
-- forget the card. Returns whether there was one.
CREATE OR REPLACE FUNCTION payment_remove_card(p_account_id uuid) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_payment_method_id text;
BEGIN
  DELETE FROM saved_card WHERE account_id = p_account_id RETURNING stripe_payment_method_id INTO v_payment_method_id;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO card_removal (stripe_payment_method_id) VALUES (v_payment_method_id) ON CONFLICT DO NOTHING;
  UPDATE auto_top_up SET is_on = false, off_reason = 'card', off_at = clock_timestamp()
  WHERE account_id = p_account_id AND is_on;
  RETURN true;
END $$;

-- Records for the owner of an account that the service changed it, on Stripe's word.
CREATE OR REPLACE FUNCTION payment_note_change(p_account_id uuid) RETURNS void LANGUAGE sql AS $$
  INSERT INTO credential_event (account_id, credential, credential_id, action, actor_kind, actor)
  VALUES (p_account_id, 'account', p_account_id, 'change', 'system', 'stripe')
$$;
