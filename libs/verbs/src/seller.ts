import { isDeepStrictEqual } from 'node:util';
import { readSeller, type Seller, setSeller } from '@farebox/billing';
import { readAddress, readCountry, readEmail, readLegalName, readTaxId } from './arguments';
import type { Verbs } from './verb';
import type { Report } from './report';

interface GivenSeller {
  legalName: string;
  address?: string;
  country?: string;
  taxId?: string;
  email?: string;
}

export const sellerCommands: Verbs = {
  'seller set': {
    help: 'set who sells, on invoices, receipts and credit notes that are made from now on; what is left out is removed',
    takes: (command) =>
      command
        .requiredOption('--legal-name <name>', 'the company or person', readLegalName)
        .option('--address <lines...>', 'one argument for each line', readAddress)
        .option('--country <code>', 'in two letters, like DE', readCountry)
        .option('--tax-id <id>', 'for example a VAT number', readTaxId)
        .option('--email <address>', 'for questions about documents', readEmail),
    examples: [
      `admin seller set --legal-name "Acme AI GmbH" --address "Beispielweg 1" "10115 Berlin" --country DE --tax-id DE123456789`,
    ],
    run:
      ({ change }) =>
      async ({ legalName, address, country, taxId, email }: GivenSeller) => {
        await change(async ({ client, record }) => {
          const before = await readSeller(client);
          const seller: Seller = {
            legal_name: legalName,
            address: address ?? null,
            country: country ?? null,
            tax_id: taxId ?? null,
            billing_email: email ?? null,
          };
          const report = toReport(seller);
          if (isDeepStrictEqual(before, seller)) return { ...report, unchanged: true };
          await setSeller(client, seller);
          await record(null, { ...seller });
          return report;
        });
      },
  },
  'seller show': {
    help: 'show who sells, as documents name them that are made now',
    examples: ['admin seller show'],
    run:
      ({ read }) =>
      () =>
        read(async (pool) => toReport(await readSeller(pool))),
  },
};

function toReport(seller: Seller | undefined): Report {
  if (!seller) return { json: { seller: null }, text: 'No seller is set: documents name the brand.' };
  const lines = Object.values(seller).filter((value) => value !== null);
  return { json: { seller }, text: lines.join('\n') };
}
