import { Group } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Given } from '../api';
import type { Row } from '../row-fields';
import { VerbList } from './rows';
import { VerbButton } from './verb-button';

/** Webhooks of the operators, or of the customer that is given. Each leads to its page. */
export function WebhookList({
  given = {},
  note,
  head,
  empty,
}: {
  given?: Given;
  note: string;
  head?: ReactNode;
  empty: string;
}) {
  return (
    <VerbList
      verb="webhook list"
      given={given}
      title="Webhooks"
      note={note}
      icon={IconWebhook}
      fields={[
        'url',
        'description',
        'event_types',
        'disabled_reason',
        'consecutive_failures',
        'last_success_at',
      ]}
      head={head}
      actions={(row) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <WebhookButtons webhook={row} />
        </Group>
      )}
      empty={empty}
    />
  );
}

/** Everything that operators do to a webhook. Only its owner may see the secret of a customer's. */
function WebhookButtons({ webhook }: { webhook: Row }) {
  const given = { webhook: String(webhook['webhook_id']) };
  return (
    <>
      <TestOrEnable webhook={webhook} size="compact-sm" />
      {webhook['account_id'] === null && (
        <VerbButton
          size="compact-sm"
          verb="webhook rotate"
          given={given}
          label="Rotate"
          title="Rotate its secret"
        />
      )}
      <VerbButton
        size="compact-sm"
        verb="webhook delete"
        given={given}
        label="Delete"
        title="Delete the webhook"
      />
    </>
  );
}

/** The one that its state allows. */
export function TestOrEnable({ webhook, size }: { webhook: Row; size?: 'compact-sm' }) {
  const look = { given: { webhook: String(webhook['webhook_id']) }, ...(size && { size }) };
  return webhook['enabled'] === true ? (
    <VerbButton {...look} verb="webhook test" label="Test" title="Send a test event" />
  ) : (
    <VerbButton {...look} verb="webhook enable" label="Enable" title="Enable the webhook" />
  );
}
