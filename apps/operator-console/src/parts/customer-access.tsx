import { IconDevices, IconKey, IconLogin } from '@tabler/icons-react';
import type { Account } from './customer-overview';
import { VerbList } from './rows';
import { VerbButton } from './verb-button';
import { WebhookList } from './webhooks';

/** Keys, sessions, devices and webhooks. */
export function AccessTab({ account: { account_id: account } }: { account: Account }) {
  const given = { account };
  return (
    <>
      <VerbList
        verb="key list"
        given={given}
        title="API keys"
        icon={IconKey}
        fields={[...['name', 'key_public_id', 'hint', 'status'], ...['monthly_spend', 'last_used_at']]}
        head={<VerbButton size="xs" verb="key create" given={given} label="Create a key" />}
        actions={(row) =>
          row['status'] === 'revoked' ? null : (
            <VerbButton
              size="compact-sm"
              verb="key revoke"
              given={{ key: String(row['key_public_id']) }}
              label="Revoke"
              title="Revoke the API key"
            />
          )
        }
        empty="This customer has no API key."
      />
      <VerbList
        verb="session list"
        given={given}
        title="Sessions"
        icon={IconLogin}
        hidden={['idle_expires_at']}
        head={
          <>
            <VerbButton
              size="xs"
              verb="session revoke"
              given={{ all_of: account }}
              ask={[]}
              label="End all sessions"
            />
            <VerbButton
              size="xs"
              verb="session create"
              given={given}
              label="Act as this customer"
              title="Start a session of this customer"
            />
          </>
        }
        actions={(row) => (
          <VerbButton
            size="compact-sm"
            verb="session revoke"
            given={{ session: String(row['session_id']) }}
            ask={[]}
            label="End"
            title="End the session"
          />
        )}
        empty="Nobody is signed in."
      />
      <VerbList
        verb="device list"
        given={given}
        title="Devices"
        icon={IconDevices}
        actions={(row) =>
          row['status'] === 'revoked' ? null : (
            <VerbButton
              size="compact-sm"
              verb="device revoke"
              given={{ device: String(row['device_id']) }}
              label="Revoke"
              title="Revoke the device"
            />
          )
        }
        empty="This customer has no device."
      />
      <WebhookList
        given={given}
        note="URLs that are notified of the events of this customer."
        empty="This customer has no webhook."
      />
    </>
  );
}
