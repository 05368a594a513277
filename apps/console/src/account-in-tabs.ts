import { useEffect } from 'react';
import { forgetPlaygroundKey } from './playground-key';

/** One for the tab, because it does not hear itself. */
const channel = new BroadcastChannel('farebox.account');

/**
 * All tabs of a browser share the session's cookie. If another one signs out, or signs in as somebody else, this
 * one forgets what it has kept and starts again.
 */
export function useSameAccount(accountId: string | undefined): void {
  useEffect(() => {
    if (accountId === undefined) return undefined;
    forgetPlaygroundKey({ unlessOf: accountId });
    const onNews = ({ data }: MessageEvent) => {
      if (data === accountId) return;
      sessionStorage.clear();
      window.location.reload();
    };
    channel.addEventListener('message', onNews);
    channel.postMessage(accountId);
    return () => channel.removeEventListener('message', onNews);
  }, [accountId]);
}

export function tellSignedOut(): void {
  channel.postMessage(null);
}
