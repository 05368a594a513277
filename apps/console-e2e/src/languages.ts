import { textsIn } from '@farebox/texts/every-language';
import { german } from '@farebox/texts/german';
import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { callerWith, givenSignedIn, type InhabitedService, signedIn } from '../test/inhabited-service';
import { cellsOf } from '../test/tables';
import { untilSettled, visit, type Visit } from '../test/visit';

const { t } = textsIn('de');
const GERMAN = { locale: 'de-DE' } as const;
/** The narrowest phone; German words are long. */
const NARROW = { width: 320, height: 700 };

/** The console in German: whole, chosen by the browser or the account, and not wider than a phone. */
export function expectLanguages(stack: () => ConsoleStack, service: () => InhabitedService): void {
  it('finds the texts of an English page', async () => {
    await visit(stack(), service().optionsOf('customer'), async ({ page, open }) => {
      await open('/settings');
      expect(await englishOn(page)).toEqual(
        expect.arrayContaining(['Settings', 'Copy the account id', 'Sign out everywhere']),
      );
    });
  });

  it('in German, no page has a text in English, and none is wider than a phone', async () => {
    const found: string[] = [];
    for (const visitor of ['customer', 'nobody', 'suspended'] as const) {
      const pages = service().pages.filter((page) => page.visitor === visitor && page.first === undefined);
      await visit(
        stack(),
        { ...service().optionsOf(visitor), ...GERMAN, viewport: NARROW },
        async ({ page, open }) => {
          for (const { path } of pages) {
            await open(path);
            found.push(...(await englishOn(page)).map((text) => `${path}: ${text}`));
            const width = await page.evaluate(() => document.documentElement.scrollWidth);
            if (width > NARROW.width) found.push(`${path} is ${String(width)} px wide`);
          }
        },
      );
    }
    expect(found).toEqual([]);
  }, 300_000);

  it('in German, no dialog has a text in English, and an amount is typed as it is shown', async () => {
    const options = { ...service().optionsOf('customer'), ...GERMAN };
    await visit(stack(), options, async ({ page, open }) => {
      await open('/keys');
      await page.getByRole('button', { name: t('Create key') }).click();
      await page.getByRole('textbox', { name: t('Name') }).fill('Deutsch');
      const limit = page.getByRole('textbox', { name: t('Monthly spending limit') });
      await limit.fill('2,5o');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: t('Create key') }).click();
      await dialog.getByText(t('Write an amount above zero in dollars, like 5 or 2.50.')).waitFor();
      expect(await englishOn(page)).toEqual([]);
      await limit.fill('2,50');
      await dialog.getByRole('button', { name: t('Create key') }).click();
      await dialog.getByText(t('Copy it now')).waitFor();
      expect(await englishOn(page)).toEqual([]);
      await dialog.getByRole('button', { name: t('Done') }).click();
      const row = page.getByRole('row').filter({ hasText: 'Deutsch' });
      expect((await row.innerText()).replaceAll('\u00a0', ' ')).toContain('0,00 $ von 2,50 $');

      await open('/billing');
      await page.getByRole('button', { name: t('Add funds') }).click();
      await page
        .getByRole('dialog')
        .getByRole('textbox', { name: t('Amount') })
        .waitFor();
      expect(await englishOn(page)).toEqual([]);
    });
  }, 120_000);

  // The words are English for whoever has another language: then dates and numbers are, too.
  it.each(['ar-EG', 'fr-FR', 'de-DE'])(
    'in an English page, dates and numbers are English, in a browser of %s, too',
    async (locale) => {
      const eve = await givenSignedIn(stack(), `eve-${locale.toLowerCase()}@example.com`);
      await callerWith(stack().baseUrl, eve.sessionToken)('PATCH', '/v1/account', { language: 'en' });
      await visit(stack(), { ...signedIn(eve, stack().baseUrl), locale }, async ({ page, open }) => {
        await open('/settings');
        expect(await languageOf(page)).toBe('en');
        const since = page.locator('dt', { hasText: 'Customer since' }).locator('+ dd');
        expect(await since.innerText()).toMatch(/^\d{1,2} [A-Z][a-z]{2,3} 20\d\d$/);
        await open('/limits');
        const [[, , used, , resets] = []] = await cellsOf(page.getByRole('region', { name: 'Current use' }));
        expect(used).toMatch(/^\$0\.00 of \$\d+\.\d\d$/);
        expect(resets).toMatch(/^\d{1,2} [A-Z][a-z]{2,3}, 00:00:00$/);
        await open('/billing');
        expect(await page.getByText('$50.00', { exact: true }).count()).toBeGreaterThan(0);
      });
    },
    120_000,
  );

  it("the account's language wins over the browser's, also before the next sign-in, and null takes it away", async () => {
    const ada = await givenSignedIn(stack(), 'ada-in-german@example.com');
    const call = callerWith(stack().baseUrl, ada.sessionToken);
    const options = { ...signedIn(ada, stack().baseUrl), refusals: /^401 GET / };
    await visit(stack(), { ...options, locale: 'en-GB' }, async (given) => {
      const { page, open } = given;
      await open('/settings');
      expect(await languageOf(page)).toBe('en');
      await chooseLanguage(given, 'Language', 'Deutsch');
      await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor();
      await page.getByText('Die Sprache ist gespeichert.').waitFor();
      expect(await languageOf(page)).toBe('de');
      expect(await call('GET', '/v1/account')).toMatchObject({ language: 'de' });
      // The keyboard is where it was.
      await page.waitForFunction(() => document.activeElement?.id === 'language');
      await open('/models');
      await page.getByRole('heading', { level: 1, name: 'Modelle' }).waitFor();
      expect(await page.title()).toMatch(/^Modelle · /);

      await page.getByRole('button', { name: 'Ihr Konto' }).click();
      await page.getByRole('button', { name: 'Abmelden', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Anmelden' }).waitFor();
    });

    const next = await givenSignedIn(stack(), 'ada-in-german@example.com', []);
    await visit(stack(), { ...signedIn(next, stack().baseUrl), locale: 'en-GB' }, async (given) => {
      await given.open('/settings');
      await given.page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor();
      await chooseLanguage(given, 'Sprache', 'Wie der Browser');
      await given.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      expect(await languageOf(given.page)).toBe('en');
    });
  }, 120_000);
}

const languageOf = (page: Page): Promise<string> => page.evaluate(() => document.documentElement.lang);

async function chooseLanguage({ page }: Visit, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option }).click();
  await untilSettled(page);
}

/** A value or an element of a text, between its words. */
const BETWEEN = /\{\w+, plural, .*?\}\}|\{\w+\}|<\/?\w+>/;
const LEAST_WORDS = 3;

/** The English texts that are not the same in German, and the longer pieces of those with values. */
const ENGLISH = Object.entries(german)
  .filter(([english, other]) => english !== other)
  .map(([english]) => english);
const WHOLE = new Set(ENGLISH);
const PIECES = ENGLISH.flatMap((text) => text.split(BETWEEN))
  .map((piece) => piece.trim())
  .filter((piece) => piece.split(' ').length >= LEAST_WORDS);

/** English texts of the catalogue on a page, seen or heard, except where they are marked as English. */
async function englishOn(page: Page): Promise<string[]> {
  const texts = await page.evaluate(textsOnPage);
  return texts.filter((text) => WHOLE.has(text) || PIECES.some((piece) => text.includes(piece)));
}

/** Runs in the page. */
function textsOnPage(): string[] {
  const texts = [document.title];
  const isEnglish = (element: Element | null): boolean => element?.closest('body [lang="en"]') != null;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (!isEnglish(parentElement) && !parentElement?.closest('script, style, noscript'))
      texts.push(textContent ?? '');
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
    if (!isEnglish(element))
      for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
        texts.push(element.getAttribute(name) ?? '');
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}
