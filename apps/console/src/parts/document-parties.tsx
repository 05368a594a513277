import type { PlainText } from '@farebox/texts';
import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Invoice } from '../api';
import { nameCountry } from '../countries';
import { t } from '@farebox/ui/language';

interface Party {
  address: string | null;
  country: string | null;
  tax_id: string | null;
}

const inLines = (name: string, { address, country, tax_id: taxId }: Party): ReactNode => (
  <Box component="span" style={{ whiteSpace: 'pre-line' }}>
    {[name, address, country && nameCountry(country), taxId && t('Tax id: {id}', { id: taxId })]
      .filter(Boolean)
      .join('\n')}
  </Box>
);

/** The seller, if one is set, and the buyer. */
export function partyFacts(
  customer: Invoice['customer'],
  seller: Invoice['seller'],
): readonly (readonly [PlainText, ReactNode])[] {
  return [
    ...(seller ? ([['From', inLines(seller.legal_name, seller)]] as const) : []),
    ['Customer', inLines(customer.legal_name ?? customer.name, customer)],
    ['E-mail', customer.billing_email ?? customer.email],
    ...(customer.purchase_order === null ? [] : ([['Purchase order', customer.purchase_order]] as const)),
  ];
}
