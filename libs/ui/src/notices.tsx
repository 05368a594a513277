import { Notification, Portal, Stack } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import { t } from './language';

interface Notice {
  message: string;
  title?: string;
  /** It stays until the person closes it. */
  isFailure?: boolean;
}

const SHOWN_MS = 6_000;

type Shown = Notice & { id: number };

let shown: readonly Shown[] = [];
let count = 0;
const listeners = new Set<() => void>();

function show(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says in a corner of the page what has happened. */
export const tell = (notice: Notice): void => show([...shown, { ...notice, id: count++ }]);

const drop = (id: number): void => show(shown.filter((one) => one.id !== id));

/** Where `tell` shows its notices. */
export function Notices() {
  const notices = useSyncExternalStore(subscribe, () => shown);
  if (notices.length === 0) return null;
  return (
    <Portal>
      <Stack className="notices">
        {notices.map((notice) => (
          <NoticeView key={notice.id} {...notice} />
        ))}
      </Stack>
    </Portal>
  );
}

function NoticeView({ id, message, title, isFailure = false }: Shown) {
  useEffect(() => {
    if (isFailure) return undefined;
    const timer = setTimeout(() => {
      drop(id);
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isFailure]);
  return (
    <Notification
      withBorder
      title={title}
      color={isFailure ? 'red' : 'accent'}
      closeButtonProps={{ 'aria-label': t('Close') }}
      onClose={() => {
        drop(id);
      }}
    >
      {message}
    </Notification>
  );
}
