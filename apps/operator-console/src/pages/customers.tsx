import { PageHead } from '@farebox/ui/states';
import { Group, Select, TextInput } from '@mantine/core';
import { IconSearch, IconUsers } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { VerbList } from '../parts/rows';
import { useChosen } from '../parts/use-chosen';
import { VerbButton } from '../parts/verb-button';

const STATUSES = ['none', 'invited', 'active', 'suspended'];

export function Page() {
  const [{ search, status }, choose] = useChosen();
  return (
    <>
      <PageHead title="Customers" lead="Everybody with an account, the newest first.">
        <VerbButton verb="account invite" label="Invite" title="Invite a customer" variant="filled" />
      </PageHead>
      <Group mb="lg" gap="sm">
        <FindCustomer search={search} choose={(text) => choose({ search: text })} />
        <Select
          aria-label="Status"
          placeholder="Any status"
          clearable
          w={{ base: '100%', xs: 160 }}
          data={STATUSES}
          value={status ?? null}
          onChange={(value) => choose({ status: value ?? undefined })}
        />
      </Group>
      <VerbList
        verb="account list"
        given={{ search, status }}
        title="Accounts"
        icon={IconUsers}
        fields={['email', 'name', 'invite_status', 'cohort', 'daily_spend_cap', 'created_at']}
        empty="There is no such account."
      />
    </>
  );
}

/** By a part of the name or the address, or straight to an id. */
function FindCustomer({
  search,
  choose,
}: {
  search: string | undefined;
  choose: (text: string | undefined) => void;
}) {
  const navigate = useNavigate();
  const [text, setText] = useState(search ?? '');
  return (
    <form
      role="search"
      aria-label="Find a customer"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.startsWith('acct_')) void navigate({ to: '/customers/$account', params: { account: text } });
        else choose(text === '' ? undefined : text);
      }}
    >
      <TextInput
        aria-label="E-mail, name or id"
        placeholder="E-mail, name or acct_…"
        leftSection={<IconSearch size={16} aria-hidden />}
        w={{ base: '100%', xs: 300 }}
        maxLength={200}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value.trimStart())}
      />
    </form>
  );
}
