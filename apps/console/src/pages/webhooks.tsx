import { FareboxError } from '@farebox/client';
import { Anchor, Badge, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { type Webhook, webhooksQuery } from '../api';
import { WEBHOOK_STATES } from '../webhook-words';
import { Card, type Column, RecordList } from '@farebox/ui/record-table';
import { When } from '@farebox/ui/moments';
import { Empty, PageHead } from '@farebox/ui/states';
import { t } from '@farebox/ui/language';

const CreateWebhook = lazy(() =>
  import('../parts/webhook-forms').then((forms) => ({ default: forms.CreateWebhook })),
);

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: 'Webhook',
    cell: ({ webhook_id, url, description }) => (
      <Anchor
        fw={500}
        renderRoot={(props) => (
          <Link to="/webhooks/$webhookId" params={{ webhookId: webhook_id }} {...props} />
        )}
      >
        <bdi>{description ?? new URL(url).host}</bdi>
      </Anchor>
    ),
  },
  {
    name: 'Status',
    cell: ({ disabled_reason }) => {
      const { name, colour } = WEBHOOK_STATES[disabled_reason ?? 'enabled'];
      return <Badge color={colour}>{t(name)}</Badge>;
    },
  },
  {
    name: 'Events',
    cell: ({ event_types }) =>
      event_types === null
        ? t('All')
        : t('{count, plural, one {# type} other {# types}}', { count: event_types.length }),
  },
  {
    name: 'Last success',
    cell: ({ last_success_at }) => (last_success_at ? <When seconds={last_success_at} /> : t('Never')),
  },
];

const NOT_FOUND = 404;

export function Page() {
  const webhooks = useInfiniteQuery(webhooksQuery);
  const [isOpen, { open, close }] = useDisclosure(false);
  // The operator has not switched webhooks on.
  const isOff = webhooks.error instanceof FareboxError && webhooks.error.status === NOT_FOUND;
  return (
    <>
      <PageHead
        title={t('Webhooks')}
        lead={t(
          'URLs that the service notifies when something happens to the account: keys, limits, payments, invoices.',
        )}
      >
        {!isOff && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
            {t('Create webhook')}
          </Button>
        )}
      </PageHead>
      <Card flush>
        {isOff ? (
          <Empty icon={IconWebhook} title={t('This service sends no webhooks')} />
        ) : (
          <RecordList
            query={webhooks}
            label={t('Webhooks')}
            columns={COLUMNS}
            keyOf={({ webhook_id }) => webhook_id}
            empty={
              <Empty icon={IconWebhook} title={t('No webhooks')}>
                {t('Create one to notify a program, not only a mailbox.')}
              </Empty>
            }
          />
        )}
      </Card>
      {isOpen && (
        <Suspense>
          <CreateWebhook close={close} />
        </Suspense>
      )}
    </>
  );
}
