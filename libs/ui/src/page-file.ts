/** Pages are files of their own, which may be missing: without a network, or after an update of the service. */

/** Not the browser's own error, for which the router would reload the page, also without a network. */
export class MissingFileError extends Error {}

export const loading =
  <Page>(load: () => Promise<Page>) =>
  (): Promise<Page> =>
    load().catch((cause: unknown) => {
      throw new MissingFileError('a file of the console could not be loaded', { cause });
    });

const RELOADED_KEY = 'farebox.reloaded';

/** The version of the running console: its main file has another name in each. */
const version = (): string =>
  document.querySelector<HTMLScriptElement>('script[type="module"]')?.getAttribute('src') ?? '';

/** Whether this version has already been reloaded because of a missing file. */
export const hasReloaded = (): boolean => sessionStorage.getItem(RELOADED_KEY) === version();

/** Only if the service can be reached: otherwise the browser would show its own page in place of the console. */
export async function reloadIfReachable(): Promise<void> {
  const response = await fetch(window.location.pathname, {
    method: 'HEAD',
    cache: 'no-store',
    headers: { accept: 'text/html' },
  });
  if (!response.ok) return;
  sessionStorage.setItem(RELOADED_KEY, version());
  window.location.reload();
}
