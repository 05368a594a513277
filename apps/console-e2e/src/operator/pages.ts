import type { Page } from 'playwright-core';
import type { InhabitedOperation } from '../../test/inhabited-operation';

export interface OperatorPage {
  path: string;
  /** An action before the check, with its name. */
  first?: { name: string; act: (page: Page) => Promise<unknown> };
}

const pressing = (path: string, name: string): OperatorPage => ({
  path,
  first: {
    name,
    act: async (page) => {
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
});

/** The difference of another price, before it is applied. */
const comparing: NonNullable<OperatorPage['first']> = {
  name: 'a changed price',
  act: async (page) => {
    const file = page.getByRole('textbox', { name: 'Text of the file' });
    const text = await file.inputValue();
    await file.fill(text.replace('input_price: 3', 'input_price: 9'));
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.getByRole('region', { name: 'What changes' }).waitFor();
  },
};

/** Every page, as an operator of any role can open it. */
export function pagesOf({
  accountId,
  suspendedId,
  requestId,
  webhookId,
}: InhabitedOperation): OperatorPage[] {
  const customer = `/operator/customers/${accountId}`;
  return [
    ...['/operator', '/operator/customers', customer, `/operator/customers/${suspendedId}`],
    ...['money', 'limits', 'access', 'history'].map((tab) => `${customer}?tab=${tab}`),
    ...[
      '/operator/requests',
      '/operator/requests?outcome=charged&model=small',
      `/operator/requests/${requestId}`,
    ],
    ...['/operator/models', '/operator/models?tab=upstreams', '/operator/models?tab=versions'],
    ...['/operator/reviews', '/operator/limits', '/operator/jobs', '/operator/log', '/operator/settings'],
    `/operator/webhooks/${webhookId}`,
  ]
    .map((path): OperatorPage => ({ path }))
    .concat({ path: '/operator/models?tab=change', first: comparing });
}

/** Dialogs, and a page that does not exist. */
export const furtherPagesOf = ({ accountId, webhookId }: InhabitedOperation): OperatorPage[] => [
  { path: '/operator/nothing' },
  pressing(`/operator/customers/${accountId}`, 'Add credit'),
  pressing('/operator/limits', 'Set a limit'),
  pressing('/operator/settings', 'Create a key'),
  pressing('/operator/settings', 'Create a webhook'),
  pressing('/operator/settings', 'Make vouchers'),
  pressing(`/operator/webhooks/${webhookId}`, 'Send again'),
];
