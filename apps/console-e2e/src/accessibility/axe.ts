import { readFileSync } from 'node:fs';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { untilSettled } from '../../test/visit';

declare global {
  interface Window {
    axe?: { run: (options: RunOptions) => Promise<AxeResults> };
  }
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that a change of colours alone can break. */
export const COLOURS: RunOptions = { runOnly: ['color-contrast', 'link-in-text-block'] };

export async function findingsInForcedColours(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' });
  // The colours are the person's own, of whatever contrast.
  const found = await findingsIn(page, 'light', { rules: { 'color-contrast': { enabled: false } } });
  await page.emulateMedia({ forcedColors: 'none' });
  return found;
}

/** axe's findings, with the elements concerned. */
export async function findingsIn(
  page: Page,
  colorScheme: 'light' | 'dark',
  rules: RunOptions = {},
): Promise<string[]> {
  await useScheme(page, colorScheme);
  return runAxe(page, rules);
}

async function useScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  // The page applies the new colours later; until then axe would see a mixture.
  await page.waitForFunction(
    (scheme) => (document.documentElement.dataset['mantineColorScheme'] ?? scheme) === scheme,
    colorScheme,
  );
  await untilSettled(page);
}

async function runAxe(page: Page, rules: RunOptions): Promise<string[]> {
  // Injected through the browser's protocol, so that the page's policy stays in force.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const results = await page.evaluate(
    (options) => window.axe?.run({ resultTypes: ['violations'], ...options }),
    rules,
  );
  if (!results) throw new Error('axe did not run');
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any, all }) => `${id}: ${html.slice(0, 200)} (${[...any, ...all][0]?.message ?? ''})`),
  );
}
