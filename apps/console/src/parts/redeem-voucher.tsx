import { unwrap } from '@farebox/client';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { balanceQuery, client, fundingQuery, statementsQuery } from '../api';
import { ErrorNotice } from '@farebox/ui/errors';
import { toDollars } from '@farebox/ui/format';
import { tell } from '@farebox/ui/notices';
import { t } from '@farebox/ui/language';

/** The code of a voucher, which is on the balance at once. */
export function RedeemVoucher({ close }: { close: () => void }) {
  const queryClient = useQueryClient();
  const [code, setCode] = useState('');
  const redeem = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/billing/vouchers', { body: { code } })),
    onSuccess: ({ amount }) => {
      for (const queryKey of [
        ['transactions'],
        balanceQuery.queryKey,
        fundingQuery.queryKey,
        statementsQuery.queryKey,
      ])
        void queryClient.invalidateQueries({ queryKey });
      tell({
        message: t('Your voucher of {amount} has been added to your balance.', { amount: toDollars(amount) }),
      });
      close();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        redeem.mutate();
      }}
    >
      <Stack gap="sm">
        {redeem.error && <ErrorNotice error={redeem.error} />}
        <Group gap="sm" align="flex-end">
          <TextInput
            flex={1}
            label={t('Code of a voucher')}
            required
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            value={code}
            onChange={({ currentTarget: { value } }) => setCode(value)}
          />
          <Button type="submit" variant="default" loading={redeem.isPending}>
            {t('Redeem')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
