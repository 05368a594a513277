import { unwrap } from '@farebox/client';
import { Anchor, Badge, Box, Button, Stack } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { client, type Webhook, type WebhookDelivery, webhookDeliveriesQuery, webhookQuery } from '../api';
import { DELIVERY_ERRORS, DELIVERY_STATES, WEBHOOK_STATES } from '../webhook-words';
import { ErrorNotice } from '@farebox/ui/errors';
import { Card, type Column, Facts, RecordList } from '@farebox/ui/record-table';
import { When } from '@farebox/ui/moments';
import { useRecordTitle } from '@farebox/ui/record-title';
import { Empty, Loaded, PageHead } from '@farebox/ui/states';
import { t } from '@farebox/ui/language';

type Dialog = 'edit' | 'rotate' | 'delete';
const WebhookDialog = lazy(() =>
  import('../parts/webhook-forms').then((forms) => ({ default: forms.WebhookDialog })),
);

export function Page() {
  const { webhookId } = useParams({ from: '/shell/webhooks/$webhookId' });
  const webhook = useQuery(webhookQuery(webhookId));
  useRecordTitle(webhook.data && nameOf(webhook.data));
  return (
    <>
      <PageHead title={t('Webhook')} back={<Back />} />
      <Loaded query={webhook}>
        {(record) => (
          <Stack gap="lg">
            <Overview webhook={record} />
            <Deliveries webhook={record} />
          </Stack>
        )}
      </Loaded>
    </>
  );
}

const nameOf = ({ description, url }: Webhook): string => description ?? new URL(url).host;

const Back = () => (
  <Anchor renderRoot={(props) => <Link to="/webhooks" {...props} />}>{t('Webhooks')}</Anchor>
);

function Overview({ webhook }: { webhook: Webhook }) {
  const [dialog, setDialog] = useState<Dialog>();
  const { name, colour } = WEBHOOK_STATES[webhook.disabled_reason ?? 'enabled'];
  return (
    <Card
      title={nameOf(webhook)}
      actions={
        <>
          <TestButton webhook={webhook} />
          <Button size="xs" variant="default" onClick={() => setDialog('edit')}>
            {t('Edit')}
          </Button>
          <Button size="xs" variant="default" onClick={() => setDialog('rotate')}>
            {t('Rotate the secret')}
          </Button>
          <Button size="xs" variant="default" onClick={() => setDialog('delete')}>
            {t('Delete')}
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          [
            'Status',
            <Badge key="status" color={colour}>
              {t(name)}
            </Badge>,
          ],
          [
            'URL',
            <span key="url" className="code">
              {webhook.url}
            </span>,
          ],
          ['Events', webhook.event_types?.join(', ') ?? t('All')],
          ['Failures in a row', String(webhook.consecutive_failures)],
          [
            'Last success',
            webhook.last_success_at ? <When key="at" seconds={webhook.last_success_at} /> : t('Never'),
          ],
        ]}
      />
      {dialog && (
        <Suspense>
          <WebhookDialog dialog={dialog} webhook={webhook} close={() => setDialog(undefined)} />
        </Suspense>
      )}
    </Card>
  );
}

function TestButton({ webhook: { webhook_id, enabled } }: { webhook: Webhook }) {
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: () =>
      unwrap(client.POST('/v1/webhooks/{webhook_id}/test', { params: { path: { webhook_id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['webhook-deliveries', webhook_id] }),
  });
  return (
    <>
      {test.error && <ErrorNotice error={test.error} />}
      <Button
        size="xs"
        variant="default"
        disabled={!enabled}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        {t('Send a test')}
      </Button>
    </>
  );
}

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { name: 'Event', cell: ({ type }) => <span className="code">{type}</span> },
  {
    name: 'Status',
    cell: ({ status }) => (
      <Badge color={DELIVERY_STATES[status].colour}>{t(DELIVERY_STATES[status].name)}</Badge>
    ),
  },
  { name: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  {
    name: 'Last result',
    cell: ({ error, response_status }) => (error ? t(DELIVERY_ERRORS[error]) : (response_status ?? '–')),
  },
  { name: 'Created', cell: ({ created_at }) => <When seconds={created_at} /> },
  {
    name: 'Next attempt',
    cell: ({ next_attempt_at }) => (next_attempt_at ? <When seconds={next_attempt_at} /> : '–'),
  },
];

function Deliveries({ webhook: { webhook_id, enabled } }: { webhook: Webhook }) {
  const deliveries = useInfiniteQuery(webhookDeliveriesQuery(webhook_id));
  const queryClient = useQueryClient();
  const resend = useMutation({
    mutationFn: (message_id: string) =>
      unwrap(
        client.POST('/v1/webhooks/{webhook_id}/deliveries/{message_id}/resend', {
          params: { path: { webhook_id, message_id } },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['webhook-deliveries', webhook_id] }),
  });
  const columns: readonly Column<WebhookDelivery>[] = [
    ...COLUMNS,
    {
      name: 'Action',
      isNumber: true,
      isNameless: true,
      cell: ({ message_id, type, status }) =>
        enabled &&
        status !== 'pending' && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('Send again: {type}', { type })}
            loading={resend.isPending && resend.variables === message_id}
            onClick={() => resend.mutate(message_id)}
          >
            {t('Send again')}
          </Button>
        ),
    },
  ];
  return (
    <Card flush title={t('Deliveries')} note={t('Of the last 30 days.')}>
      {resend.error && (
        <Box px={20} pb="sm">
          <ErrorNotice error={resend.error} />
        </Box>
      )}
      <RecordList
        query={deliveries}
        label={t('Deliveries')}
        columns={columns}
        keyOf={({ message_id }) => message_id}
        empty={
          <Empty icon={IconWebhook} title={t('Nothing was sent yet')}>
            {t('Send a test, to see whether your program takes it.')}
          </Empty>
        }
      />
    </Card>
  );
}
