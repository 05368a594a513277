import { fromDecimalUsd, toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { goTo, heading, visit } from '../test/visit';

const EMAIL = 'ada@example.com';
const CREDIT_NANO = fromDecimalUsd('5.00');
const TOP_UP_NANO = fromDecimalUsd('25.00');

/** The first day of an invited customer, from the mail to the next sign-in, in the browser. */
export function tellTheStory(stack: () => ConsoleStack): void {
  it('an invited customer gets a key, talks to a model, pays, replaces the key, and signs in again by mail', async () => {
    const options = {
      elsewhere: [stack().payments.url],
      // Before the sign-in and after the sign-out.
      refusals: /^401 GET /,
    };
    await stack().admin('account', 'invite', '--email', EMAIL, '--name', 'Ada', '--credit', '5.00');
    await visit(stack(), options, async ({ page }) => {
      await acceptTheInvite(page, stack());
      const key = await makeTheFirstKey(page, stack());
      const costNano = await talkToAModel(page);
      await findTheCharge(page, costNano);
      await topUpByCard(page, costNano);
      const rotated = await rotateTheKey(page, stack(), key);
      await limitTheKeyToAPage(page, stack(), rotated);
      await revokeTheKey(page, stack(), rotated);
      await seeWhatWasDone(page);
      await signOutAndInAgain(page, stack());
    });
  }, 300_000);
}

async function acceptTheInvite(page: Page, stack: ConsoleStack): Promise<void> {
  await page.goto(await newestLinkOf(stack, 1));
  await page.getByText(EMAIL).waitFor();
  await page.getByRole('button', { name: 'Accept and sign in' }).click();
  await heading(page, 'Welcome, Ada');
  expect(pathOf(page)).toBe('/');
  await page.reload();
  await heading(page, 'Welcome, Ada');
}

async function makeTheFirstKey(page: Page, { baseUrl }: ConsoleStack): Promise<string> {
  await page.getByRole('button', { name: 'Create my first API key' }).click();
  const secret = await copied(page, 'Copy the API key');
  const sample = page.getByRole('group', { name: 'curl sample' });
  expect(await sample.innerText()).toContain(`${baseUrl}/v1/chat/completions`);
  expect(await sample.innerText()).toContain(secret);
  expect(await statusOf(baseUrl, secret)).toBe(200);

  await goTo(page, 'API keys');
  await rowWith(page, 'First key').getByText('Active').waitFor();
  expect(await page.content()).not.toContain(secret);
  return secret;
}

/** Returns the cost that the page shows. */
async function talkToAModel(page: Page): Promise<NanoUsd> {
  await goTo(page, 'Playground');
  await page.getByRole('combobox', { name: 'Model' }).click();
  await page.getByRole('option', { name: 'paced' }).click();
  await page.getByLabel('Maximum output tokens').fill('40');
  await page.evaluate(noteLengths);
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('What does a farebox do?');
  await page.getByRole('button', { name: 'Send' }).click();
  const receipt = page.getByRole('log').getByText(/^\$[\d.]+ · \d+ prompt and \d+ completion tokens$/);
  await receipt.waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  // Word by word, not at once: a part of the answer was seen before the whole. A busy machine shows few parts.
  expect((await page.evaluate(() => window.seenLengths ?? [])).length).toBeGreaterThan(1);
  const [, cost = ''] = /\$([\d.]+)/.exec(await receipt.innerText()) ?? [];
  const costNano = fromDecimalUsd(cost);
  expect(costNano).toBeGreaterThan(0n);
  return costNano;
}

/** Runs in the page: records every length of the answer's text. */
function noteLengths(): void {
  const log = document.querySelector('[role=log]');
  const lengths = new Set<number>();
  new MutationObserver(() => {
    const length = log?.querySelector('.markdown')?.textContent.length ?? 0;
    if (length > 0) lengths.add(length);
    window.seenLengths = [...lengths];
  }).observe(log ?? document.body, { subtree: true, childList: true, characterData: true });
}

declare global {
  interface Window {
    seenLengths?: number[];
  }
}

async function findTheCharge(page: Page, costNano: NanoUsd): Promise<void> {
  await page.getByRole('link', { name: 'Receipt' }).click();
  await heading(page, 'paced');
  await page.getByText(dollars(costNano), { exact: true }).waitFor();
  await page.getByText('Completed', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Playground' }).last().waitFor();

  await goTo(page, 'Activity');
  await rowWith(page, 'paced').getByText(dollars(costNano)).waitFor();
  await goTo(page, 'Usage');
  await page.getByRole('region', { name: 'By model' }).getByText(dollars(costNano)).waitFor();
  await page.getByRole('region', { name: 'By API key' }).getByText(dollars(costNano)).waitFor();
  await goTo(page, 'Billing');
  await page
    .getByText(dollars(CREDIT_NANO - costNano), { exact: true })
    .first()
    .waitFor();
  await rowWith(page, 'Charge')
    .getByText(`-${dollars(costNano)}`)
    .waitFor();
}

async function topUpByCard(page: Page, costNano: NanoUsd): Promise<void> {
  const toPayment = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByRole('textbox', { name: 'Amount', exact: true }).fill('25.00');
    await page.getByRole('button', { name: 'Pay by card' }).click();
    await heading(page, 'Pay $25.00');
  };
  await toPayment();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByText('Nothing was paid').waitFor();

  await toPayment();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  const notice = page.getByText('Your payment of $25.00 has been added to your balance.');
  await notice.waitFor();
  expect(pathOf(page)).toMatch(/^\/billing\?checkout=paid&payment=chk_\w{26}$/);
  const address = (await page.getByRole('link', { name: 'Receipt', exact: true }).getAttribute('href')) ?? '';
  const receipt = await page.evaluate(async (path) => (await fetch(path)).text(), address);
  expect(receipt).toContain('<th>25.00 USD</th>');
  await page.reload();
  await heading(page, 'Billing');
  expect(await notice.count()).toBe(0);
  await rowWith(page, 'Top-up').first().waitFor();
  await page
    .getByText(dollars(CREDIT_NANO + TOP_UP_NANO - costNano), { exact: true })
    .first()
    .waitFor();
}

async function rotateTheKey(page: Page, { baseUrl }: ConsoleStack, secret: string): Promise<string> {
  await goTo(page, 'API keys');
  await page.getByRole('link', { name: 'First key' }).click();
  await heading(page, 'First key');
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page
    .getByRole('dialog', { name: 'Rotate First key?' })
    .getByRole('button', { name: 'Rotate' })
    .click();
  const dialog = page.getByRole('dialog', { name: 'The new secret' });
  await dialog.waitFor();
  const rotated = await copied(page, 'Copy the API key');
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect([await statusOf(baseUrl, secret), await statusOf(baseUrl, rotated)]).toEqual([401, 200]);
  return rotated;
}

/** Also restores the access of programs. */
async function limitTheKeyToAPage(page: Page, { baseUrl }: ConsoleStack, secret: string): Promise<void> {
  const change = async (origins: string): Promise<void> => {
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit the API key' });
    await dialog.getByRole('textbox', { name: 'Allowed origins' }).fill(origins);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
  };
  await change('https://app.example.com, https://shop.example.com');
  await page.getByText('https://app.example.com, https://shop.example.com', { exact: true }).waitFor();
  await page.getByText('Not shown to users of the key').waitFor();
  expect(await statusOf(baseUrl, secret)).toBe(401);
  await change('');
  await page.getByText('Any program may use it').waitFor();
  expect(await statusOf(baseUrl, secret)).toBe(200);
}

async function revokeTheKey(page: Page, { baseUrl }: ConsoleStack, secret: string): Promise<void> {
  await page.getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke First key?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await statusOf(baseUrl, secret)).toBe(200);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Revoked', { exact: true }).first().waitFor();
  expect(await statusOf(baseUrl, secret)).toBe(401);

  await goTo(page, 'API keys');
  await page.getByText('No active keys').waitFor();
  expect(await rowWith(page, 'Playground').count()).toBe(0);
  await page.getByRole('radiogroup', { name: 'Status' }).getByText('Revoked').click();
  await rowWith(page, 'First key').waitFor();
}

/** Each key causes a mail; the sign-in with the invite causes none. */
async function seeWhatWasDone(page: Page): Promise<void> {
  await goTo(page, 'Security');
  for (const event of [
    'API key First key revoked',
    'API key First key rotated',
    'API key Playground created',
  ])
    await rowWith(page, event).getByText('127.0.0.0/24').waitFor();
  await rowWith(page, 'Signed in').getByText('on Linux').waitFor();
  expect(await page.getByText('New browser').count()).toBe(0);
  await page
    .getByRole('region', { name: 'Something you do not recognise?' })
    .getByRole('link')
    .first()
    .click();
  await heading(page, 'Settings');
}

async function signOutAndInAgain(page: Page, stack: ConsoleStack): Promise<void> {
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await heading(page, 'Sign in');
  await page.goto('/usage?bucket=hour');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(EMAIL);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await heading(page, 'Check your mail');
  // The invite, a mail about each of two keys, and this one.
  await page.goto(await newestLinkOf(stack, 4));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Usage');
  expect(pathOf(page)).toBe('/usage?bucket=hour');
}

const rowWith = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

async function copied(page: Page, button: string): Promise<string> {
  await page.getByRole('button', { name: button }).click();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toMatch(/^ak-[\w-]{20,}$/);
  return text;
}

/** The gateway's status for a key. */
async function statusOf(baseUrl: string, apiKey: string): Promise<number> {
  const response = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.arrayBuffer();
  return response.status;
}

const pathOf = (page: Page): string => {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
};

/** The console's form of an exact amount: every digit, and at least cents. */
const dollars = (nano: bigint): string =>
  `$${toDecimalUsd(nano as NanoUsd).replace(/^(\d+\.\d\d\d*?)0*$/, '$1')}`;

/** The newest sign-in link, once this number of mails has arrived. */
async function newestLinkOf({ baseUrl, mails }: ConsoleStack, count: number): Promise<string> {
  const texts = (await mails.mailsTo(EMAIL, count)).map(({ text }) => text ?? '');
  const pattern = new RegExp(`${baseUrl}/auth/links/\\S+`);
  const link = texts.flatMap((text) => pattern.exec(text) ?? []).at(-1);
  if (link === undefined) throw new Error(`No mail has a link: ${texts.join('\n')}`);
  return link;
}
