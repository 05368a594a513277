import { inEnglish } from '@farebox/ui/language';
import { Card, Facts } from '@farebox/ui/record-table';
import { Loaded, PageHead } from '@farebox/ui/states';
import { Stack, Text } from '@mantine/core';
import { IconBinaryTree, IconKey, IconTicket, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { meQuery, readQuery } from '../api';
import { Cell } from '../parts/cell';
import { VerbList } from '../parts/rows';
import { VerbButton } from '../parts/verb-button';
import { WebhookList } from '../parts/webhooks';
import { useVerb } from '../rights';
import { nameOfField, type Row } from '../row-fields';

export function Page() {
  return (
    <>
      <PageHead title="Settings" lead="Who sells, who operates, vouchers, and the roots of the ledger." />
      <Stack gap="lg">
        <Seller />
        <Vouchers />
        <Operators />
        <Roots />
        {useVerb('management-key list') && <ManagementKeys />}
        <WebhookList
          note="URLs that are notified of the events of all accounts."
          head={<VerbButton size="xs" verb="webhook create" label="Create a webhook" />}
          empty="There is no webhook."
        />
        <Rights />
      </Stack>
    </>
  );
}

/** As the form of the verb names them. */
const SELLER = {
  legal_name: 'legal_name',
  address: 'address',
  country: 'country',
  tax_id: 'tax_id',
  billing_email: 'email',
} as const;

function Seller() {
  const shown = useQuery(readQuery<{ seller: Row | null }>('seller show'));
  const seller = shown.data?.seller;
  const start = Object.fromEntries(
    Object.entries(SELLER).flatMap(([field, name]) => {
      const value = seller?.[field];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  return (
    <Card
      title="Seller"
      note="On invoices, receipts and credit notes that are made from now on."
      actions={
        <>
          <VerbButton size="xs" verb="invoice issue" label="Issue missing invoices" />
          <VerbButton
            key={JSON.stringify(start)}
            size="xs"
            verb="seller set"
            start={start}
            label="Change"
            title="Change the seller"
          />
        </>
      }
    >
      <Loaded query={shown}>
        {() =>
          seller ? (
            <Facts
              facts={Object.keys(SELLER).map((field) => [
                inEnglish(nameOfField(field)),
                <span key={field} className="lines">
                  <Cell field={field} row={seller} />
                </span>,
              ])}
            />
          ) : (
            <Text fz="sm" c="dimmed">
              Documents name no seller yet.
            </Text>
          )
        }
      </Loaded>
    </Card>
  );
}

function Vouchers() {
  return (
    <VerbList
      verb="voucher list"
      title="Vouchers"
      note="Codes that are worth an amount, once."
      icon={IconTicket}
      fields={['created_at', 'note', 'hint', 'amount', 'state', 'expires_at', 'email', 'redeemed_at']}
      head={<VerbButton size="xs" verb="voucher create" label="Make vouchers" />}
      actions={(row) =>
        row['state'] === 'open' && (
          <VerbButton
            size="compact-sm"
            verb="voucher revoke"
            given={{ voucher: String(row['voucher_id']) }}
            ask={[]}
            label="Revoke"
            title="Revoke the voucher"
          />
        )
      }
      empty="There are no vouchers."
    />
  );
}

function Operators() {
  return (
    <VerbList
      verb="operator list"
      title="Operators"
      note="People who may sign in here."
      icon={IconUsers}
      fields={['email', 'role', 'created_at']}
      head={<VerbButton size="xs" verb="operator add" label="Add an operator" />}
      actions={(row) => (
        <VerbButton
          size="compact-sm"
          verb="operator remove"
          given={{ email: String(row['email']) }}
          label="Remove"
          title="Remove the operator"
        />
      )}
      empty="Nobody may sign in."
    />
  );
}

function Roots() {
  return (
    <VerbList
      verb="ledger roots"
      given={{ limit: '31' }}
      title="Roots of the ledger"
      note="Of the last days. Everybody can read them, without entries and amounts."
      icon={IconBinaryTree}
      fields={['day', 'root', 'entries', 'amounts', 'public_key', 'verified_at']}
      head={<VerbButton size="xs" verb="ledger verify-roots" label="Verify the roots" />}
      empty="No day has a root yet. The worker makes the root of a day soon after it is over."
    />
  );
}

function ManagementKeys() {
  return (
    <VerbList
      verb="management-key list"
      title="Management keys"
      note="For programs that use the operator's API."
      icon={IconKey}
      fields={['name', 'hint', 'role', 'scopes', 'status', 'created_by', 'expires_at']}
      head={<VerbButton size="xs" verb="management-key create" label="Create a key" />}
      actions={(row) =>
        row['status'] === 'active' && (
          <VerbButton
            size="compact-sm"
            verb="management-key revoke"
            given={{ key: String(row['management_key_id']) }}
            label="Revoke"
            title="Revoke the management key"
          />
        )
      }
      empty="There is no management key."
    />
  );
}

/** The verbs that this operator may use, in the words of the API and of the admin command. */
function Rights() {
  const me = useQuery(meQuery).data;
  const changes = (me?.verbs ?? []).filter(({ method }) => method === 'POST').map(({ verb }) => verb);
  return (
    <Card title="Your rights" note={`You have the role ${me?.role ?? '–'}.`}>
      <Text fz="sm">
        You may read everything{changes.length === 0 ? '.' : `, and do this: ${changes.join(', ')}.`}
      </Text>
    </Card>
  );
}
