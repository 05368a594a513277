import { readFileSync } from 'node:fs';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import type { InhabitedService, PageCase, Visitor } from '../test/inhabited-service';
import { untilSettled, visit, type Visit } from '../test/visit';

const VISITORS: readonly Visitor[] = ['customer', 'suspended', 'nobody'];
const LONGEST_WALK_MS = 600_000;
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

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that a change of colours alone can break. */
const COLOURS: RunOptions = { runOnly: ['color-contrast', 'link-in-text-block'] };
const BRAND_COLOURS = ['#ffd400', '#0000ff'];

async function findingsInForcedColours(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' });
  // The colours are the person's own, of whatever contrast.
  const found = await findingsIn(page, 'light', { rules: { 'color-contrast': { enabled: false } } });
  await page.emulateMedia({ forcedColors: 'none' });
  return found;
}

/** axe's findings, with the elements concerned. */
async function findingsIn(
  page: Page,
  colorScheme: 'light' | 'dark',
  rules: RunOptions = {},
): Promise<string[]> {
  await page.emulateMedia({ colorScheme });
  // The page applies the new colours later; until then axe would see a mixture.
  await page.waitForFunction(
    (scheme) => (document.documentElement.dataset['mantineColorScheme'] ?? scheme) === scheme,
    colorScheme,
  );
  await untilSettled(page);
  // Injected through the browser's protocol, so that the page's policy stays in force.
  await page.evaluate(AXE);
  const results = await page.evaluate(
    (options) => window.axe?.run({ resultTypes: ['violations'], ...options }),
    rules,
  );
  if (!results) throw new Error('axe did not run');
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any, all }) => `${id}: ${html.slice(0, 200)} (${[...any, ...all][0]?.message ?? ''})`),
  );
}

const MOST_TABS = 200;

/** Presses Tab until a control has the focus, unless it has it from the start. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${String(control)}.`);
}

const TABS_AT_A_TIME = 10;

declare global {
  interface Window {
    axe?: { run: (options: RunOptions) => Promise<AxeResults> };
    /** The elements that had the focus, and whether the focus was visible. */
    focused?: Map<Element, boolean>;
  }
}

/** The controls that Tab does not reach, or reaches without a visible sign. */
async function unreachableOn(page: Page): Promise<string[]> {
  await page.evaluate(noteFocus);
  // A dialog that has just opened may take the focus back at any time, so one known control does not end a
  // round: ten known ones do.
  let known = -1;
  for (let tabs = 0; tabs < MOST_TABS; tabs += TABS_AT_A_TIME) {
    const met = await page.evaluate(() => window.focused?.size ?? 0);
    if (met === known) break;
    known = met;
    for (let i = 0; i < TABS_AT_A_TIME; i++) await page.keyboard.press('Tab');
  }
  return page.evaluate(listUnreached);
}

/** Runs in the page: records each element that gets the focus. */
function noteFocus(): void {
  const focused = new Map<Element, boolean>();
  Object.assign(window, { focused });
  const isMarked = (element: Element): boolean => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  };
  const { activeElement } = document;
  // A dialog starts at one of its controls, a page at its top.
  if (activeElement?.closest('[role=dialog]')) focused.set(activeElement, true);
  else if (activeElement instanceof HTMLElement) activeElement.blur();
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element) || focused.has(target)) return;
    // The border of a field shows the focus; for a hidden radio button, the label beside it does.
    focused.set(target, target.matches('input, textarea, select') || isMarked(target));
  });
}

/** Runs in the page: visible, enabled controls that did not get the focus or did not show it. */
function listUnreached(): string[] {
  const scope = document.querySelector('[role=dialog]') ?? document;
  const controls = scope.querySelectorAll<HTMLElement>(
    'a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=tab], [tabindex="0"]',
  );
  const reached = window.focused ?? new Map<Element, boolean>();
  /** Among radio buttons, tabs and the like, one takes the focus, and arrow keys reach the others. */
  const groupOf = (element: Element): Element | null =>
    element.closest('[role=radiogroup], [role=tablist], fieldset, [role=group]');
  const isUsed = (element: HTMLElement): boolean =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: false }) &&
    !element.matches(':disabled, [type=hidden], [aria-hidden=true], [aria-hidden=true] *, [inert] *');
  const isReached = (element: HTMLElement): boolean => {
    if (reached.has(element)) return true;
    const isOneOfMany = element.matches('[type=radio], [role=tab]');
    const group = isOneOfMany && groupOf(element);
    return Boolean(group && [...reached.keys()].some((other) => group.contains(other)));
  };
  const name = (why: string, element: Element): string => `${why}: ${element.outerHTML.slice(0, 200)}`;
  return [
    ...[...controls].filter((one) => isUsed(one) && !isReached(one)).map((one) => name('not reached', one)),
    ...[...reached].filter(([, isSeen]) => !isSeen).map(([one]) => name('no sign of the focus', one)),
  ];
}

/** By how much a page is wider than a phone's screen. */
async function overflowOnPhone(page: Page): Promise<string[]> {
  const whole = page.viewportSize();
  await page.setViewportSize(PHONE);
  await untilSettled(page);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  if (whole) await page.setViewportSize(whole);
  return width > PHONE.width ? [`${String(width)} px wide`] : [];
}
