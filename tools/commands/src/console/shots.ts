import { z } from 'zod';
import { opens, type Act, type Shot } from './shot';
import { STATES } from './shots-of-states';

const list = <Row extends z.ZodRawShape>(row: Row) => z.object({ data: z.array(z.object(row)) });

/** Every page of the demo account, of a new one and of nobody, with its dialogs, and the states of its records. */
export async function listShots(read: (path: string) => Promise<unknown>): Promise<Shot[]> {
  const [keys, requests, invoices, receipts] = await Promise.all([
    read('/v1/api-keys?status=active').then((body) => list({ key_public_id: z.string() }).parse(body).data),
    read('/v1/usage?limit=1').then((body) => list({ id: z.string() }).parse(body).data),
    read('/v1/billing/invoices').then((body) => list({ number: z.string() }).parse(body).data),
    read('/v1/billing/receipts').then((body) => list({ number: z.string() }).parse(body).data),
  ]);
  const key = `/keys/${keys.at(-1)?.key_public_id ?? ''}`;
  const today = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  return [
    { name: 'home', path: '/' },
    { name: 'menu', path: '/', act: openMenus },
    { name: 'api-keys', path: '/keys' },
    {
      name: 'api-keys-revoked',
      path: '/keys',
      act: (page, t) => page.getByText(t('Revoked')).first().click(),
    },
    { name: 'api-key', path: key },
    { name: 'create-key', path: '/keys', act: opens('Create key') },
    ...(['Edit', 'Disable', 'Rotate', 'Revoke'] as const).map((button) => ({
      ...{ name: `${button.toLowerCase()}-key`, path: key, act: opens(button) },
    })),
    { name: 'playground', path: '/playground' },
    { name: 'playground-code', path: '/playground', act: opens('View as code') },
    { name: 'models', path: '/models' },
    { name: 'activity', path: '/activity' },
    ...requests.map((request) => ({ name: 'request', path: `/activity/${request.id}` })),
    { name: 'usage', path: '/usage?split=model' },
    { name: 'usage-by-hour', path: `/usage?bucket=hour&start=${today}` },
    { name: 'usage-custom', path: '/usage?start=2025-01-01&end=2025-02-01' },
    { name: 'limits', path: '/limits' },
    { name: 'billing', path: '/billing' },
    { name: 'billing-statements', path: '/billing?tab=statements' },
    { name: 'billing-invoices', path: '/billing?tab=invoices' },
    { name: 'billing-details', path: '/billing?tab=details' },
    { name: 'add-funds', path: '/billing?add=true', act: (page) => page.getByRole('dialog').waitFor() },
    ...invoices.slice(0, 1).flatMap(({ number }) => [
      { name: 'invoice', path: `/billing/invoices/${number}` },
      { name: 'invoice-document', path: `/v1/billing/invoices/${number}?format=html` },
    ]),
    ...receipts.slice(0, 1).map(({ number }) => ({
      ...{ name: 'receipt-document', path: `/v1/billing/receipts/${number}?format=html` },
    })),
    { name: 'devices', path: '/devices' },
    { name: 'security', path: '/security' },
    { name: 'webhooks', path: '/webhooks' },
    { name: 'create-webhook', path: '/webhooks', act: opens('Create webhook') },
    { name: 'settings', path: '/settings' },
    { name: 'sign-out-everywhere', path: '/settings', act: opens('Sign out everywhere') },
    { name: 'not-found', path: '/no-such-page' },
    { name: 'no-such-key', path: '/keys/key_00000000000000000000000000' },
    { name: 'no-access', path: '/no-access' },
    ...['/', '/keys', '/activity', '/usage', '/limits', '/security', '/devices', '/billing'].map((path) => ({
      ...{
        name: `new${path === '/' ? '-home' : path.replace('/', '-')}`,
        path,
        visitor: 'newcomer' as const,
      },
    })),
    ...(['statements', 'invoices'] as const).map((tab) => ({
      ...{ name: `new-${tab}`, path: `/billing?tab=${tab}`, visitor: 'newcomer' as const },
    })),
    { name: 'sign-in', path: '/sign-in', visitor: 'nobody' },
    { name: 'verify', path: '/verify', visitor: 'nobody' },
    { name: 'link-used', path: '/auth/links/lt-nothing', visitor: 'nobody' },
    { name: 'docs', path: '/docs', visitor: 'nobody' },
    { name: 'docs-error', path: '/docs/errors/rate_limit_error', visitor: 'nobody' },
    ...STATES({ key, ...(requests[0] && { request: `/activity/${requests[0].id}` }) }),
  ];
}

/** The menu of the pages, which a phone has in a drawer, or else that of the account. */
const openMenus: Act = async (page, t) => {
  const burger = page.getByRole('button', { name: t('Open the menu') });
  await ((await burger.isVisible()) ? burger : page.getByRole('button', { name: t('Your account') })).click();
};
