import { CopyableText } from '@farebox/ui/copyable';
import { inEnglish } from '@farebox/ui/language';
import { Card, Facts } from '@farebox/ui/record-table';
import { useRecordTitle } from '@farebox/ui/record-title';
import { Loaded, PageHead } from '@farebox/ui/states';
import { Anchor, Stack } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { readQuery } from '../api';
import { Cell, State } from '../parts/cell';
import { VerbList } from '../parts/rows';
import { VerbButton } from '../parts/verb-button';
import { TestOrEnable } from '../parts/webhooks';
import { nameOfField, type Row } from '../row-fields';

export function Page() {
  const { webhook } = useParams({ from: '/webhooks/$webhook' });
  const found = useQuery(readQuery<Row>('webhook show', { webhook }));
  return <Loaded query={found}>{(shown) => <Webhook webhook={shown} />}</Loaded>;
}

function Webhook({ webhook }: { webhook: Row }) {
  const { webhook_id: id, account_id: account, description } = webhook;
  const { host } = new URL(String(webhook['url']));
  const isOn = webhook['enabled'] === true;
  const given = { webhook: String(id) };
  useRecordTitle(host);
  return (
    <>
      <PageHead
        title={typeof description === 'string' ? description : host}
        lead={<State state={isOn ? 'enabled' : 'disabled'} />}
        back={
          typeof account === 'string' ? (
            <Anchor
              renderRoot={(props) => (
                <Link to="/customers/$account" params={{ account }} search={{ tab: 'access' }} {...props} />
              )}
            >
              Keys and sessions of the customer
            </Anchor>
          ) : (
            <Anchor renderRoot={(props) => <Link to="/settings" {...props} />}>Settings</Anchor>
          )
        }
      >
        <TestOrEnable webhook={webhook} />
      </PageHead>
      <Stack gap="lg">
        <Card title="The webhook">
          <Facts facts={factsOf(webhook)} />
        </Card>
        <VerbList
          verb="webhook deliveries"
          given={given}
          title="Deliveries"
          note="Events of the last 30 days, the newest first."
          icon={IconSend}
          fields={[
            ...['type', 'message_id', 'status', 'attempts', 'response_status', 'error'],
            ...['created_at', 'next_attempt_at'],
          ]}
          actions={({ message_id: message, status }) =>
            isOn &&
            status !== 'pending' && (
              <VerbButton
                size="compact-sm"
                verb="webhook resend"
                given={{ ...given, message: String(message) }}
                label="Send again"
                title="Send the event again"
              />
            )
          }
          empty="It was sent nothing in the last 30 days."
        />
      </Stack>
    </>
  );
}

/** Neither the URL nor the id leads to the page that shows them. */
function factsOf(webhook: Row): Parameters<typeof Facts>[0]['facts'] {
  const { webhook_id: id, account_id: account, event_types: types } = webhook;
  const fields = [
    ...(account === null ? [] : ['account_id']),
    ...['description', 'disabled_reason', 'consecutive_failures'],
    ...['last_success_at', 'secret_rotated_at', 'created_at'],
  ];
  return [
    [
      inEnglish('URL'),
      <span key="url" className="code">
        {String(webhook['url'])}
      </span>,
    ],
    [inEnglish('Id'), <CopyableText key="id" text={String(id)} label="Copy the id of the webhook" />],
    [inEnglish('Events'), Array.isArray(types) ? types.join(', ') : 'All'],
    ...fields.map(
      (field) => [inEnglish(nameOfField(field)), <Cell key={field} field={field} row={webhook} />] as const,
    ),
  ];
}
