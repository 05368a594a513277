import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { LANGUAGES } from '@farebox/texts';
import { textsIn } from '@farebox/texts/every-language';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { answerCalls } from './answers';
import { withDemoConsole, type DemoConsole } from './demo-console';
import type { Shot } from './shot';
import { listShots } from './shots';

interface Look {
  name: string;
  language: keyof typeof LANGUAGES;
  options: BrowserContextOptions;
}

const WIDE = { width: 1_280, height: 800 };
const phone = (width: number, height: number) => ({
  ...{ viewport: { width, height }, isMobile: true, hasTouch: true },
});
const LOOKS: readonly Look[] = [
  { name: 'light', language: 'en', options: { viewport: WIDE, colorScheme: 'light' } },
  { name: 'dark', language: 'en', options: { viewport: WIDE, colorScheme: 'dark' } },
  { name: 'phone', language: 'en', options: { ...phone(390, 844), colorScheme: 'light' } },
  { name: 'narrow', language: 'en', options: { ...phone(320, 640), colorScheme: 'dark' } },
  { name: 'german', language: 'de', options: { viewport: WIDE, colorScheme: 'light' } },
  { name: 'german-narrow', language: 'de', options: { ...phone(320, 640), colorScheme: 'light' } },
];
const LOCALES = { en: 'en-GB', de: 'de-DE' };

/** Writes `<page>-<look>.png` of every page and state into a folder. `npm start` must be running. */
export async function run({
  folder,
  only,
  looks,
}: {
  folder: string;
  /** Names of pages and of looks; none are all. */
  only: readonly string[];
  looks: readonly string[];
}): Promise<number> {
  mkdirSync(folder, { recursive: true });
  let problems = 0;
  await withDemoConsole(async (demo) => {
    const shots = (await listShots(demo.read)).filter(({ name }) => only.length === 0 || only.includes(name));
    const chosen = LOOKS.filter(({ name }) => looks.length === 0 || looks.includes(name));
    for (const look of chosen) for (const shot of shots) problems += await take(demo, shot, look, folder);
    console.log(`wrote ${(shots.length * chosen.length).toString()} pictures into ${folder}`);
  });
  return problems === 0 ? 0 : 1;
}

/** Takes one, and reports problems that a person would see: an error in the browser, a page wider than the screen. */
async function take(demo: DemoConsole, shot: Shot, look: Look, folder: string): Promise<number> {
  const context = await demo.open({
    ...{ ...look.options, locale: LOCALES[look.language], visitor: shot.visitor ?? 'demo' },
  });
  const problems: string[] = [];
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // Some responses are refusals, which the browser notes by itself.
      const isOfAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isOfAnswer) problems.push(message.text());
    });
    await answerCalls(page, shot.answers ?? {});
    await page.goto(shot.path, { waitUntil: 'networkidle' });
    await shot.act?.(page, textsIn(look.language).t);
    await page.waitForLoadState('networkidle');
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await page.getByRole('heading').first().waitFor();
    await page
      .locator('.mantine-Skeleton-root, .mantine-Loader-root, [data-loading]')
      .first()
      .waitFor({ state: 'detached' });
    if (!shot.act) await showWhole(page);
    const tooWide = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    if (tooWide > 0) problems.push(`the page is ${tooWide.toString()} pixels wider than the screen`);
    const file = path.join(folder, `${shot.name}-${look.name}.png`);
    await page.screenshot({ path: file, fullPage: !shot.act });
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  } finally {
    await context.close();
  }
  for (const problem of problems) console.error(`${shot.name}, ${look.name}: ${problem}`);
  return problems.length;
}

const SETTLED_MS = 100;

/** A screen as high as the page: what sticks to the screen is where it belongs. */
async function showWhole(page: Page): Promise<void> {
  const viewport = page.viewportSize();
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  if (!viewport || height <= viewport.height) return;
  await page.setViewportSize({ width: viewport.width, height });
  await page.waitForTimeout(SETTLED_MS);
}
