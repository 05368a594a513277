import { unwrap } from '@farebox/client';
import { Button, Group, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type BillingDetails, billingDetailsQuery, client } from '../api';
import { countries } from '../countries';
import { Card } from '@farebox/ui/record-table';
import { ErrorNotice } from '@farebox/ui/errors';
import { tell } from '@farebox/ui/notices';
import { Loaded } from '@farebox/ui/states';
import { t } from '@farebox/ui/language';

/** The details of the customer on documents. */
export function BillingDetailsCard() {
  const details = useQuery(billingDetailsQuery);
  return (
    <Card
      title={t('Billing details')}
      note={t('Used on invoices, receipts and credit notes from now on. Existing ones never change.')}
    >
      <Loaded query={details}>{(known) => <DetailsForm key={JSON.stringify(known)} known={known} />}</Loaded>
    </Card>
  );
}

type Details = Omit<BillingDetails, 'object'>;

const toDetails = ({
  legal_name,
  address,
  country,
  tax_id,
  purchase_order,
  billing_email,
}: BillingDetails): Details => ({ legal_name, address, country, tax_id, purchase_order, billing_email });

function DetailsForm({ known }: { known: BillingDetails }) {
  const queryClient = useQueryClient();
  const [wish, setWish] = useState(() => toDetails(known));
  const [offered] = useState(countries);
  const save = useMutation({
    mutationFn: () => unwrap(client.PATCH('/v1/billing/details', { body: wish })),
    onSuccess: (changed) => {
      queryClient.setQueryData(billingDetailsQuery.queryKey, changed);
      tell({ message: t('Your billing details are saved.') });
    },
  });
  const change = (changed: Partial<Details>) => setWish({ ...wish, ...changed });
  const field = (name: keyof Details) => ({
    value: wish[name] ?? '',
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      change({ [name]: value === '' ? null : value }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="md">
        {save.error && <ErrorNotice error={save.error} />}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('Legal name')}
            description={t('The company or person that is billed')}
            maxLength={200}
            autoComplete="organization"
            {...field('legal_name')}
          />
          <TextInput
            label={t('Billing e-mail')}
            description={t('On documents, instead of your own address')}
            type="email"
            maxLength={254}
            autoComplete="email"
            {...field('billing_email')}
          />
        </SimpleGrid>
        <Textarea
          label={t('Address')}
          description={t('In at most eight lines, without the country')}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={500}
          autoComplete="street-address"
          {...field('address')}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <Select
            label={t('Country')}
            placeholder={t('None')}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('No country') }}
            data={offered}
            value={wish.country}
            onChange={(country) => change({ country })}
          />
          <TextInput label={t('Tax id')} placeholder="DE123456789" maxLength={50} {...field('tax_id')} />
          <TextInput label={t('Purchase order')} maxLength={100} {...field('purchase_order')} />
        </SimpleGrid>
        <Group>
          <Button
            type="submit"
            loading={save.isPending}
            disabled={JSON.stringify(wish) === JSON.stringify(toDetails(known))}
          >
            {t('Save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
