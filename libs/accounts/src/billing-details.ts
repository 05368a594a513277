import type { Queryable } from '@farebox/database';
import { lockAccount, NOTE_CHANGE } from './accounts';
import { type Actor, requireChangePace, toActorValues } from './credential-events';
import type { Accounts } from './open-accounts';

/** The facts on the documents of an account, beside its name and e-mail address. */
export interface BillingDetails {
  legalName: string | null;
  /** In lines. */
  address: string | null;
  /** As in ISO 3166-1, in two letters. */
  country: string | null;
  taxId: string | null;
  purchaseOrder: string | null;
  billingEmail: string | null;
}

/** `undefined` leaves a detail as it is; null removes it. */
export type BillingDetailsUpdate = { [Name in keyof BillingDetails]: BillingDetails[Name] | undefined };

const NONE: BillingDetails = {
  legalName: null,
  address: null,
  country: null,
  taxId: null,
  purchaseOrder: null,
  billingEmail: null,
};
const NAMES = Object.keys(NONE) as (keyof BillingDetails)[];

export async function readBillingDetails(accountId: string, db: Queryable): Promise<BillingDetails> {
  const { rows } = await db.query<BillingDetails>(
    `SELECT legal_name AS "legalName", address, country, tax_id AS "taxId", purchase_order AS "purchaseOrder",
            billing_email AS "billingEmail"
     FROM billing_details WHERE account_id = $1`,
    [accountId],
  );
  return rows[0] ?? NONE;
}

/**
 * Changes billing details at the owner's request, and records who did it if anything changed. Documents that were
 * made before keep theirs. Throws `rate_limit_error`.
 */
export async function updateBillingDetails(
  accountId: string,
  accounts: Accounts,
  update: BillingDetailsUpdate,
  actor: Actor,
): Promise<BillingDetails> {
  await requireChangePace(accountId, accounts, actor);
  return accounts.transaction(async (inside) => {
    await lockAccount(accountId, inside);
    const before = await readBillingDetails(accountId, inside);
    const after = { ...before };
    for (const name of NAMES) if (update[name] !== undefined) after[name] = update[name];
    if (NAMES.every((name) => after[name] === before[name])) return before;
    await inside.query(
      `INSERT INTO billing_details (account_id, legal_name, address, country, tax_id, purchase_order, billing_email)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (account_id) DO UPDATE
       SET legal_name = excluded.legal_name, address = excluded.address, country = excluded.country,
           tax_id = excluded.tax_id, purchase_order = excluded.purchase_order, billing_email = excluded.billing_email`,
      [accountId, ...NAMES.map((name) => after[name])],
    );
    await inside.query(NOTE_CHANGE, [accountId, ...toActorValues(actor)]);
    return after;
  });
}
