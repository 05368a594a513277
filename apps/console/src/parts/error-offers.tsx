import type { FareboxError } from '@farebox/client';
import { t } from '@farebox/ui/language';
import { Anchor, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** The actions that a customer can take about an error, and a link to its explanation. */
export const ERROR_OFFERS = {
  remedy: ({ code }: FareboxError) => code === 'insufficient_funds' && <AddFundsButton />,
  meaning: ({ code }: FareboxError) => (
    <Anchor href={`/docs/errors/${code}`} fz="sm">
      {t('What this means')}
    </Anchor>
  ),
};

export function AddFundsButton() {
  return (
    <Button
      size="xs"
      renderRoot={(props: object) => <Link to="/billing" search={{ add: true }} {...props} />}
    >
      {t('Add funds')}
    </Button>
  );
}
