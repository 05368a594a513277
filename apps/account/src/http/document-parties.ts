import type { BuyerRecord, SellerRecord } from '@farebox/api';
import type { Brand } from '@farebox/config';

/** Names and values of a document, a value in lines. */
export type Facts = [name: string, value: string][];

const countryNames = new Intl.DisplayNames('en', { type: 'region' });

interface Party {
  address: string | null;
  country: string | null;
  tax_id: string | null;
}

function toLines(name: string, { address, country, tax_id: taxId }: Party): string {
  return [
    name,
    ...(address === null ? [] : [address]),
    ...(country === null ? [] : [countryNames.of(country) ?? country]),
    ...(taxId === null ? [] : [`Tax id: ${taxId}`]),
  ].join('\n');
}

/** The seller and the buyer. A document without a seller of its own names the brand. */
export function toPartyFacts(customer: BuyerRecord, seller: SellerRecord, brand: Pick<Brand, 'name'>): Facts {
  return [
    ['From', seller === null ? brand.name : toLines(seller.legal_name, seller)],
    ...(seller?.billing_email == null ? [] : ([['Their e-mail', seller.billing_email]] satisfies Facts)),
    ['Customer', toLines(customer.legal_name ?? customer.name, customer)],
    ['E-mail', customer.billing_email ?? customer.email],
    ...(customer.purchase_order === null
      ? []
      : ([['Purchase order', customer.purchase_order]] satisfies Facts)),
  ];
}
