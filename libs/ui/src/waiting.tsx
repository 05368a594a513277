import { Alert, Button, Group, Text } from '@mantine/core';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { toTime } from './format';
import { t } from './language';

/** A bar while the next page loads, from the click on. */
export function NavigationBar() {
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' });
  if (!isLoading) return null;
  return <div className="navigation-bar" role="progressbar" aria-label={t('The page is loading')} />;
}

/** On show, read before, and not to be read again now. */
const isStale = (query: Query): boolean =>
  query.isActive() && query.state.data !== undefined && query.state.fetchFailureReason !== null;

/** Says how old the figures on the page are while the service cannot be reached. */
export function StaleNotice() {
  const queryClient = useQueryClient();
  const cache = queryClient.getQueryCache();
  const readAtMs = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () =>
      cache
        .findAll({ predicate: isStale })
        .reduce((oldest, { state }) => Math.min(oldest, state.dataUpdatedAt), Infinity),
  );
  if (readAtMs === Infinity) return null;
  return (
    <Alert
      color="orange"
      mb="lg"
      title={t('These figures are not up to date')}
      role="status"
      className="not-printed"
    >
      <Group justify="space-between" gap="sm">
        <Text fz="sm">
          {t('The service could not be reached. The figures are from {time}.', {
            time: toTime(Math.floor(readAtMs / 1_000)),
          })}
        </Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => void queryClient.refetchQueries({ predicate: isStale })}
        >
          {t('Try again')}
        </Button>
      </Group>
    </Alert>
  );
}
