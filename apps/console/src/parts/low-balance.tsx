import { unwrap } from '@farebox/client';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery, client } from '../api';
import { entryPattern, fromEntry, toDollars, toEntry } from '@farebox/ui/format';
import { Card } from '@farebox/ui/record-table';
import { ErrorNotice } from '@farebox/ui/errors';
import { tell } from '@farebox/ui/notices';
import { Loaded } from '@farebox/ui/states';
import { t } from '@farebox/ui/language';

/** The threshold of the low-balance mail. */
export function LowBalance() {
  const account = useQuery(accountQuery);
  return (
    <Card title={t('Low balance')} note={t('You get a mail when less than this is available.')}>
      <Loaded query={account}>
        {({ low_balance_threshold: known }) => (
          <LowBalanceForm key={known} known={known === null ? '' : toEntry(known)} />
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
      unwrap(
        client.PATCH('/v1/account', {
          body: { low_balance_threshold: amount === '' ? null : fromEntry(amount) },
        }),
      ),
    onSuccess: (changed) => {
      queryClient.setQueryData(accountQuery.queryKey, changed);
      tell({
        message:
          changed.low_balance_threshold === null
            ? t('You get no mail about a low balance.')
            : t('You get a mail when less than {amount} is available.', {
                amount: toDollars(changed.low_balance_threshold),
              }),
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
            aria-label={t('Amount below which you get a mail')}
            placeholder={t('No mail')}
            leftSection="$"
            inputMode="decimal"
            pattern={entryPattern('{1,9}')}
            title={t('Dollars, like 5 or 2.50')}
            value={amount}
            onChange={({ currentTarget: { value } }) => setAmount(value.trim())}
          />
          <Button type="submit" variant="default" loading={save.isPending} disabled={amount === known}>
            {t('Save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
