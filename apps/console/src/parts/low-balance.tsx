import { unwrap } from '@farebox/client';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery, client } from '../api';
import { toDollars } from '../format';
import { Card } from './record-table';
import { ErrorNotice } from './errors';
import { tell } from './notices';
import { Loaded } from './states';

/** The threshold of the low-balance mail. */
export function LowBalance() {
  const account = useQuery(accountQuery);
  return (
    <Card title="Low balance" note="You get a mail when less than this is available.">
      <Loaded query={account}>
        {({ low_balance_threshold: known }) => (
          <LowBalanceForm
            key={known}
            known={known === null ? '' : toDollars(known).slice(1).replaceAll(',', '')}
          />
        )}
      </Loaded>
    </Card>
  );
}

function LowBalanceForm({ known }: { known: string }) {
  const queryClient = useQueryClient();
  const [amount, setAmount] = useState(known);
  const save = useMutation({
    mutationFn: () =>
      unwrap(client.PATCH('/v1/account', { body: { low_balance_threshold: amount === '' ? null : amount } })),
    onSuccess: (changed) => {
      queryClient.setQueryData(accountQuery.queryKey, changed);
      tell({
        message:
          changed.low_balance_threshold === null
            ? 'You get no mail about a low balance.'
            : `You get a mail when less than ${toDollars(changed.low_balance_threshold)} is available.`,
      });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="sm">
        {save.error && <ErrorNotice error={save.error} />}
        <Group gap="sm">
          <TextInput
            aria-label="Amount below which you get a mail"
            placeholder="No mail"
            leftSection="$"
            inputMode="decimal"
            pattern="\d+(\.\d{1,9})?"
            title="Dollars, like 5 or 2.50"
            value={amount}
            onChange={({ currentTarget: { value } }) => setAmount(value.trim())}
          />
          <Button type="submit" variant="default" loading={save.isPending} disabled={amount === known}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
