import { save } from '@farebox/ui/save-file';
import { tell } from '@farebox/ui/notices';
import { Button, Group } from '@mantine/core';
import { IconHistory, IconShieldCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readQuery } from '../api';
import { useVerb } from '../rights';
import type { Row } from '../row-fields';
import type { Account } from './customer-overview';
import { VerbList } from './rows';

/** The operators' actions on the account, and the events of its credentials. */
export function HistoryTab({ account: { account_id: account } }: { account: Account }) {
  return (
    <>
      <VerbList
        verb="log"
        given={{ target: account }}
        title="Done by operators"
        icon={IconHistory}
        fields={['at', 'operator', 'action', 'target', 'details']}
        head={<Export account={account} />}
        empty="No operator has done anything to this account."
      />
      <VerbList
        verb="account events"
        given={{ account }}
        title="Events of credentials"
        icon={IconShieldCheck}
        fields={['at', 'action', 'credential', 'credential_id', 'actor', 'network']}
        empty="Nothing has happened yet."
      />
    </>
  );
}

/** Everything that is kept of the person, as a file. */
function Export({ account }: { account: string }) {
  const verb = useVerb('account export');
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: () => queryClient.query(readQuery<Row>('account export', { account })),
    onSuccess: (data) =>
      save(new File([JSON.stringify(data, null, 2)], `${account}.json`, { type: 'application/json' })),
    onError: ({ message }) => tell({ title: 'It was not saved', message, isFailure: true }),
  });
  if (!verb) return null;
  return (
    <Group>
      <Button
        size="xs"
        variant="default"
        loading={saving.isPending}
        data-verb={verb.verb}
        onClick={() => saving.mutate()}
      >
        Export the data of the person
      </Button>
    </Group>
  );
}
