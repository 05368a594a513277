import type { ConsoleStack } from '../../test/console-stack';
import type { InhabitedOperation } from '../../test/inhabited-operation';
import { givenOperator, ROLES, type Role } from '../../test/operators';
import { untilSettled } from '../../test/visit';
import { pagesOf } from './pages';
import { visitOperator } from './visit-operator';

/** The table of rights, as the service itself tells it to an owner. */
interface Right {
  verb: string;
  method: string;
  roles: readonly Role[];
}

/**
 * Verbs that change something and have no button here: an invite also creates an account, the page of changes compares
 * files, and only a job that has failed can be discarded.
 */
const WITHOUT_BUTTON = ['account create', 'catalog diff', 'job discard'];

export function expectButtonsByRole(stack: () => ConsoleStack, operation: () => InhabitedOperation): void {
  describe('offers what the table of rights says', () => {
    const offered = new Map<Role, Set<string>>();
    let rights: readonly Right[] = [];

    beforeAll(async () => {
      const names = pagesOf(operation());
      for (const role of ROLES) {
        const seen = new Set<string>();
        offered.set(role, seen);
        await visitOperator(stack(), await givenOperator(stack(), role), async ({ page, open }) => {
          for (const { path, first } of names) {
            await open(path);
            if (first) {
              await first.act(page);
              await untilSettled(page);
            }
            const verbs = await page.evaluate(() =>
              [...document.querySelectorAll<HTMLElement>('[data-verb]')].map(
                ({ dataset }) => dataset['verb'] ?? '',
              ),
            );
            for (const verb of verbs) seen.add(verb);
          }
          if (role === 'owner')
            rights = await page.evaluate(async () => {
              const response = await fetch('/operator/v1/me');
              return ((await response.json()) as { verbs: Right[] }).verbs;
            });
        });
      }
    }, 600_000);

    it('an owner finds a button for everything that changes something', () => {
      const changes = rights.filter(({ method }) => method === 'POST').map(({ verb }) => verb);
      expect(changes.length).toBeGreaterThan(30);
      const seen = offered.get('owner') ?? new Set();
      expect(changes.filter((verb) => !seen.has(verb) && !WITHOUT_BUTTON.includes(verb))).toEqual([]);
    });

    it.each(ROLES)('a %s sees the buttons of their role, and no others', (role) => {
      const all = [...(offered.get('owner') ?? [])];
      const expected = all.filter((verb) =>
        rights.some((right) => right.verb === verb && right.roles.includes(role)),
      );
      expect([...(offered.get(role) ?? [])].sort()).toEqual(expected.sort());
    });
  });
}
