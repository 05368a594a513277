import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../../test/console-stack';
import type { InhabitedOperation } from '../../test/inhabited-operation';
import { givenOperator } from '../../test/operators';
import { untilSettled } from '../../test/visit';
import { LONGEST_WALK_MS, overflowOnPhone } from '../accessibility';
import { COLOURS, findingsIn } from '../accessibility/axe';
import { unreachableOn } from '../accessibility/focus';
import { furtherPagesOf, pagesOf } from './pages';
import { visitOperator } from './visit-operator';

const CHECKS = [
  ['passes axe in light colours', (page: Page) => findingsIn(page, 'light')],
  ['passes axe in dark colours', (page: Page) => findingsIn(page, 'dark', COLOURS)],
  ['has its controls where the Tab key reaches them', unreachableOn],
  ['fits a phone', overflowOnPhone],
] as const;

/** Checks every page as the console of customers is checked. */
export function expectOperatorsAccessibility(
  stack: () => ConsoleStack,
  operation: () => InhabitedOperation,
): void {
  describe('used without a mouse, in other colours, and on a phone', () => {
    const found = CHECKS.map((): Record<string, string[]> => ({}));

    beforeAll(async () => {
      const pages = [...pagesOf(operation()), ...furtherPagesOf(operation())];
      await visitOperator(stack(), await givenOperator(stack(), 'owner'), async ({ page, open }) => {
        for (const { path, first } of pages) {
          await open(path);
          if (first) {
            await first.act(page);
            await untilSettled(page);
          }
          for (const [i, [, faultsOn]] of CHECKS.entries()) {
            const faults = await faultsOn(page);
            const findings = found[i];
            if (findings && faults.length > 0)
              findings[[path, first?.name].filter(Boolean).join(', ')] = faults;
          }
        }
      });
    }, LONGEST_WALK_MS);

    it.each(CHECKS.map(([name], i) => [name, i] as const))('every page %s', (_, i) => {
      expect(found[i]).toEqual({});
    });
  });
}
