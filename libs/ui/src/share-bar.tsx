import { Progress } from '@mantine/core';
import { t } from './language';

/** How much of a limit is used, in per cent. */
export function ShareBar({ limit, share }: { limit: string; share: number }) {
  return (
    <Progress
      value={share}
      color={share >= 90 ? 'red' : share >= 70 ? 'yellow' : 'accent'}
      size={5}
      aria-label={t('{limit}: {share} per cent used', { limit, share: Math.round(share) })}
    />
  );
}
