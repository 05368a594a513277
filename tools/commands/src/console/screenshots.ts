import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { z } from 'zod';
import { withDemoConsole, type DemoConsole } from './demo-console';

interface Look {
  name: string;
  options: BrowserContextOptions;
}

const WIDE = { width: 1_280, height: 800 };
const LOOKS: readonly Look[] = [
  { name: 'light', options: { viewport: WIDE, colorScheme: 'light' } },
  { name: 'dark', options: { viewport: WIDE, colorScheme: 'dark' } },
  {
    name: 'phone',
    options: { viewport: { width: 360, height: 740 }, colorScheme: 'light', isMobile: true, hasTouch: true },
  },
];

interface Shot {
  name: string;
  path: string;
  isStranger?: boolean;
  /** Actions on the page before the screenshot. */
  act?: (page: Page) => Promise<void>;
}

const list = <Row extends z.ZodRawShape>(row: Row) => z.object({ data: z.array(z.object(row)) });

/** Every page, and the forms that open on one. Pages of a record show the demo account's own. */
async function shotsOf({ read }: DemoConsole): Promise<Shot[]> {
  const [keys, requests, invoices] = await Promise.all([
    read('/v1/api-keys?status=active').then((body) => list({ key_public_id: z.string() }).parse(body).data),
    read('/v1/usage?limit=1').then((body) => list({ id: z.string() }).parse(body).data),
    read('/v1/billing/invoices').then((body) => list({ number: z.string() }).parse(body).data),
  ]);
  return [
    { name: 'home', path: '/' },
    { name: 'api-keys', path: '/keys' },
    ...keys.slice(0, 1).map((key) => ({ name: 'api-key', path: `/keys/${key.key_public_id}` })),
    { name: 'create-key', path: '/keys', act: (page) => press(page, 'Create key') },
    { name: 'playground', path: '/playground', act: converse },
    { name: 'playground-code', path: '/playground', act: (page) => press(page, 'View as code') },
    { name: 'models', path: '/models' },
    { name: 'activity', path: '/activity' },
    ...requests.map((request) => ({ name: 'request', path: `/activity/${request.id}` })),
    { name: 'usage', path: '/usage?split=model' },
    { name: 'usage-by-hour', path: `/usage?bucket=hour&start=${new Date().toISOString().slice(0, 10)}` },
    { name: 'billing', path: '/billing' },
    { name: 'billing-invoices', path: '/billing?tab=invoices' },
    { name: 'billing-details', path: '/billing?tab=details' },
    { name: 'add-funds', path: '/billing?add=true' },
    ...invoices.slice(0, 1).map(({ number }) => ({ name: 'invoice', path: `/billing/invoices/${number}` })),
    { name: 'devices', path: '/devices' },
    { name: 'security', path: '/security' },
    { name: 'settings', path: '/settings' },
    { name: 'not-found', path: '/no-such-page' },
    { name: 'sign-in', path: '/sign-in', isStranger: true },
    { name: 'no-access', path: '/no-access' },
  ];
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).first().click();
  await page.getByRole('dialog').waitFor();
}

/** A question and its streamed answer, through the real gateway. */
async function converse(page: Page): Promise<void> {
  await page
    .getByRole('textbox', { name: 'Message', exact: true })
    .fill('Tell me what a prepaid balance is good for.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: 'Receipt' }).waitFor({ timeout: 30_000 });
}

/** Writes `<page>-<light|dark|phone>.png` of every page into a folder. `npm start` must be running. */
export async function run({ folder, only }: { folder: string; only: readonly string[] }): Promise<number> {
  mkdirSync(folder, { recursive: true });
  let problems = 0;
  await withDemoConsole(async (demo) => {
    const shots = (await shotsOf(demo)).filter(({ name }) => only.length === 0 || only.includes(name));
    for (const look of LOOKS) for (const shot of shots) problems += await take(demo, shot, look, folder);
    console.log(`wrote ${(shots.length * LOOKS.length).toString()} pictures into ${folder}`);
  });
  return problems === 0 ? 0 : 1;
}

/** Takes one, and reports problems that a person would see: an error in the browser, a page wider than the screen. */
async function take(demo: DemoConsole, shot: Shot, look: Look, folder: string): Promise<number> {
  const context = await demo.open({ ...look.options, isStranger: shot.isStranger ?? false });
  const problems: string[] = [];
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // A session is requested, and there is none: the page exists for that case.
      if (message.type() === 'error' && !shot.isStranger) problems.push(message.text());
    });
    await page.goto(shot.path, { waitUntil: 'networkidle' });
    await shot.act?.(page);
    await page.waitForLoadState('networkidle');
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    const tooWide = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    if (tooWide > 0) problems.push(`the page is ${tooWide.toString()} pixels wider than the screen`);
    const file = path.join(folder, `${shot.name}-${look.name}.png`);
    await page.screenshot({ path: file, fullPage: !shot.act });
  } finally {
    await context.close();
  }
  for (const problem of problems) console.error(`${shot.name}, ${look.name}: ${problem}`);
  return problems.length;
}
