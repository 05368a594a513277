import { useEffect, useSyncExternalStore } from 'react';

// The record that the page is about, for the title of the window, which the frame writes.
let shown: string | undefined;
const listeners = new Set<() => void>();

function show(name: string | undefined): void {
  shown = name;
  for (const listener of listeners) listener();
}

/** Names the record in the title of the window, as long as its page is shown. */
export function useRecordTitle(name: string | undefined): void {
  useEffect(() => {
    show(name);
    return () => show(undefined);
  }, [name]);
}

const listen = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useShownRecord = (): string | undefined => useSyncExternalStore(listen, () => shown);
