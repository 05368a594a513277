import type { ConsoleStack } from '../../test/console-stack';
import type { InhabitedOperation } from '../../test/inhabited-operation';
import { givenOperator } from '../../test/operators';
import { visitOperator } from './visit-operator';

export function expectRecordsApart(stack: () => ConsoleStack, operation: () => InhabitedOperation): void {
  it('the page of another customer shows nothing of the former one while it loads', async () => {
    const { accountId, suspendedId } = operation();
    await visitOperator(stack(), await givenOperator(stack(), 'viewer'), async ({ page, open }) => {
      await open(`/operator/customers/${accountId}`);
      const main = page.getByRole('main');
      await main.getByText('grace@example.com').waitFor();

      let answer: (() => void) | undefined;
      const asked = new Promise<void>((isAsked) => {
        void page.route(`**/account/show?account=${suspendedId}`, async (route) => {
          isAsked();
          await new Promise<void>((resolve) => (answer = resolve));
          await route.continue();
        });
      });
      await page.evaluate((to) => {
        window.history.pushState(null, '', to);
      }, `/operator/customers/${suspendedId}`);
      await asked;
      await main.getByText('grace@example.com').waitFor({ state: 'detached' });
      answer?.();
      await main.getByText('linus@example.com').waitFor();
    });
  }, 120_000);
}
