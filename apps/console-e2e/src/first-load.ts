import type { ConsoleStack } from '../test/console-stack';
import { givenSignedIn, signedIn } from '../test/inhabited-service';
import { visit, type VisitOptions } from '../test/visit';

const MAX_SIGN_IN_BYTES = 150_000;
const MAX_HOME_BYTES = 220_000;

/** The font and the chart arrive when the page can already be read and used. */
const IS_LATER = /\/(?:bars|font)-[^/]+\.(?:js|css)$|\.woff2$/;

/** The pages on which people arrive must stay small. The figures of all are in docs/benchmarks/console.md. */
export function expectFirstLoad(stack: () => ConsoleStack): void {
  describe('the first load, with the document and the icon, as gzip', () => {
    it('of the sign-in page is at most 150 kB', async () => {
      const bytes = await bytesOf(stack(), '/sign-in', { refusals: /^401 GET / });
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(MAX_SIGN_IN_BYTES);
    }, 120_000);

    it('of the home page is at most 220 kB', async () => {
      const owner = await givenSignedIn(stack(), 'first-load@example.com');
      const bytes = await bytesOf(stack(), '/', signedIn(owner, stack().baseUrl));
      expect(bytes).toBeGreaterThan(MAX_SIGN_IN_BYTES / 2);
      expect(bytes).toBeLessThanOrEqual(MAX_HOME_BYTES);
    }, 120_000);

    it('of the home page asks for one model, not for all', async () => {
      const owner = await givenSignedIn(stack(), 'one-model@example.com');
      await visit(stack(), signedIn(owner, stack().baseUrl), async ({ page, open }) => {
        const asked: string[] = [];
        page.on('request', (request) => asked.push(request.url().replace(stack().baseUrl, '')));
        await open('/');
        expect(asked.filter((url) => url.startsWith('/v1/account/models'))).toEqual([
          '/v1/account/models?only=cheapest_chat',
        ]);
        await page.getByText('"model": "small"').waitFor();
      });
    }, 120_000);
  });
}

async function bytesOf(stack: ConsoleStack, path: string, options: VisitOptions): Promise<number> {
  const asked = new Set<string>();
  await visit(stack, options, async ({ page, open }) => {
    page.on('request', (request) => asked.add(new URL(request.url()).pathname));
    await open(path);
  });
  const files = [...asked].filter((name) => name === path || name.startsWith('/console/'));
  const sizes = await Promise.all(
    files.filter((name) => !IS_LATER.test(name)).map((name) => sizeOf(`${stack.baseUrl}${name}`)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** As sent to a browser that accepts gzip: a file that is not compressed counts with its whole length. */
async function sizeOf(url: string): Promise<number> {
  const headers = { accept: 'text/html, */*', 'accept-encoding': 'gzip' };
  const response = await fetch(url, { method: 'HEAD', headers });
  return Number(response.headers.get('content-length'));
}
