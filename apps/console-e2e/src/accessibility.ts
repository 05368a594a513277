import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import type { InhabitedService, PageCase, Visitor } from '../test/inhabited-service';
import { untilSettled, visit, type Visit } from '../test/visit';
import { COLOURS, findingsIn, findingsInForcedColours } from './accessibility/axe';
import { tabTo, unreachableOn } from './accessibility/focus';

const VISITORS: readonly Visitor[] = ['customer', 'suspended', 'nobody'];
/** Through every page, on a busy machine. */
export const LONGEST_WALK_MS = 1_800_000;
const BRAND_COLOURS = ['#ffd400', '#0000ff'];
const PHONE = { width: 360, height: 740 };

/** The findings, by page. */
type Findings = Record<string, string[]>;

/** Checks every page for people who see poorly, have no mouse, or use a phone. */
export function expectAccessibility(stack: () => ConsoleStack, service: () => InhabitedService): void {
  const checks = [
    ['passes axe in light colours', (page: Page) => findingsIn(page, 'light')],
    ['passes axe in dark colours', (page: Page) => findingsIn(page, 'dark', COLOURS)],
    ['passes axe in forced colours', findingsInForcedColours],
    ['has its controls where the Tab key reaches them, and shows which one has the focus', unreachableOn],
    ['fits a phone', overflowOnPhone],
  ] as const;
  const found = checks.map((): Findings => ({}));

  // Opens each page once for all checks, because opening takes the most time.
  async function look({ page, open }: Visit, one: PageCase): Promise<void> {
    await open(one.path);
    await one.first?.act(page);
    await untilSettled(page);
    for (const [i, [, faultsOn]] of checks.entries()) {
      const faults = await faultsOn(page);
      const findings = found[i];
      if (findings && faults.length > 0) findings[nameOf(one)] = faults;
    }
  }

  beforeAll(async () => {
    for (const visitor of VISITORS)
      await visit(stack(), service().optionsOf(visitor), async (visited) => {
        for (const one of service().pages.filter((candidate) => candidate.visitor === visitor))
          await look(visited, one);
      });
  }, LONGEST_WALK_MS);

  it.each(checks.map(([name], i) => [name, i] as const))('every page and dialog %s', (_, i) => {
    expect(found[i]).toEqual({});
  });

  it.each(BRAND_COLOURS)(
    'every page and dialog can be read in the colour %s of an operator',
    async (colour) => {
      const faults: Findings = {};
      for (const visitor of ['customer', 'nobody'] as const)
        await visit(stack(), service().optionsOf(visitor), async ({ page, open }) => {
          await page.route('**/v1/service', async (route) => {
            const body = (await (await route.fetch()).json()) as object;
            await route.fulfill({ json: { ...body, accent_color: colour } });
          });
          for (const one of service().pages.filter((candidate) => candidate.visitor === visitor)) {
            await open(one.path);
            await one.first?.act(page);
            for (const scheme of ['light', 'dark'] as const) {
              const found = await findingsIn(page, scheme, COLOURS);
              if (found.length > 0) faults[`${nameOf(one)}, ${scheme}`] = found;
            }
          }
        });
      expect(faults).toEqual({});
    },
    LONGEST_WALK_MS,
  );

  it('a key can be created, copied and closed with the keyboard alone', async () => {
    await visit(stack(), service().optionsOf('customer'), async ({ page, open }) => {
      await open('/');
      await tabTo(page, page.getByRole('navigation').getByRole('link', { name: 'API keys', exact: true }));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
      await tabTo(page, page.getByRole('button', { name: 'Create key' }));
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await tabTo(page, dialog.getByRole('textbox', { name: 'Name' }));
      await page.keyboard.type('By keyboard');
      await page.keyboard.press('Enter');
      await tabTo(page, dialog.getByRole('button', { name: 'Copy the API key' }));
      await page.keyboard.press('Enter');
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^ak-/);
      await tabTo(page, dialog.getByRole('button', { name: 'Done' }));
      await page.keyboard.press('Enter');
      await page.getByRole('row').filter({ hasText: 'By keyboard' }).waitFor();
    });
  }, 120_000);
}

const nameOf = ({ path, visitor, first }: PageCase): string =>
  [path.replace(/(chatcmpl-|key_|lt-).*/, '$1…'), visitor, first?.name].filter(Boolean).join(', ');

/** By how much a page is wider than a phone's screen. */
export async function overflowOnPhone(page: Page): Promise<string[]> {
  const whole = page.viewportSize();
  await page.setViewportSize(PHONE);
  await untilSettled(page);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  if (whole) await page.setViewportSize(whole);
  return width > PHONE.width ? [`${String(width)} px wide`] : [];
}
