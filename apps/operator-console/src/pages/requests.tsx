import { Card } from '@farebox/ui/record-table';
import { PageHead } from '@farebox/ui/states';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FilterRequests, useRequestFilter } from '../parts/request-filter';
import { RequestList } from '../parts/request-list';
import { ReportCard } from '../parts/rows';

export function Page() {
  const filter = useRequestFilter();
  return (
    <>
      <PageHead title="Requests" lead="What happened to requests, each from its hold to its charge." />
      <Stack gap="lg">
        <Card title="Find a request">
          <FindRequest />
        </Card>
        <Card title="Which requests">
          <FilterRequests />
        </Card>
        <RequestList given={filter} title="Requests" empty="There is no such request." />
        <ReportCard
          verb="report refusals"
          given={{ since: '7d', group_by: 'account' }}
          title="Whose requests were refused or failed"
          note="In the last 7 days, UTC."
          empty="No request was refused or failed."
        />
      </Stack>
    </>
  );
}

function FindRequest() {
  const navigate = useNavigate();
  const [request, setRequest] = useState('');
  const [account, setAccount] = useState('');
  return (
    <form
      role="search"
      aria-label="Find a request"
      onSubmit={(event) => {
        event.preventDefault();
        if (request === '') return;
        void navigate({
          to: '/requests/$request',
          params: { request },
          search: account === '' ? {} : { account },
        });
      }}
    >
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Request id"
            placeholder="req_…, chatcmpl-…, resp_… or msg_…"
            w={{ base: '100%', xs: 340 }}
            maxLength={200}
            value={request}
            onChange={({ currentTarget: { value } }) => setRequest(value.trim())}
          />
          <TextInput
            label="Account"
            placeholder="acct_… or e-mail"
            w={{ base: '100%', xs: 240 }}
            maxLength={200}
            value={account}
            onChange={({ currentTarget: { value } }) => setAccount(value.trim())}
          />
          <Button type="submit">Find</Button>
        </Group>
        <Text fz="sm" c="dimmed">
          The account is needed only for an id that its client chose. A request appears a moment after its
          response.
        </Text>
      </Stack>
    </form>
  );
}
