import type { Queryable } from '@farebox/database';

/** The operator, as documents name them. */
export interface Seller {
  legal_name: string;
  /** In lines. */
  address: string | null;
  /** As in ISO 3166-1, in two letters. */
  country: string | null;
  tax_id: string | null;
  billing_email: string | null;
}

/** The customer, as documents name them beside the account's name and e-mail address. */
export interface Buyer extends Omit<Seller, 'legal_name'> {
  legal_name: string | null;
  purchase_order: string | null;
}

/** `undefined` if the operator has not set it. Documents then name the brand alone. */
export async function readSeller(db: Queryable): Promise<Seller | undefined> {
  const { rows } = await db.query<{ seller: Seller | null }>('SELECT billing_seller() AS seller');
  return rows[0]?.seller ?? undefined;
}

/** Sets the seller for documents that are made from now on. */
export async function setSeller(db: Queryable, seller: Seller): Promise<void> {
  await db.query(
    `INSERT INTO seller (id, legal_name, address, country, tax_id, billing_email) VALUES (1, $1, $2, $3, $4, $5)
     ON CONFLICT (id) DO UPDATE
     SET legal_name = excluded.legal_name, address = excluded.address, country = excluded.country,
         tax_id = excluded.tax_id, billing_email = excluded.billing_email`,
    [seller.legal_name, seller.address, seller.country, seller.tax_id, seller.billing_email],
  );
}
