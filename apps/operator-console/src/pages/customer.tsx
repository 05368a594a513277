import { useRecordTitle } from '@farebox/ui/record-title';
import { Loaded, PageHead } from '@farebox/ui/states';
import { Anchor, Group, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { readQuery } from '../api';
import { AccessTab } from '../parts/customer-access';
import { HistoryTab } from '../parts/customer-history';
import { LimitsTab } from '../parts/customer-limits';
import { MoneyTab } from '../parts/customer-money';
import { CustomerOverview, type Account } from '../parts/customer-overview';
import { State } from '../parts/cell';
import { useChosen } from '../parts/use-chosen';
import { VerbButton } from '../parts/verb-button';

const TABS = [
  { value: 'overview', label: 'Overview', Tab: CustomerOverview },
  { value: 'money', label: 'Money', Tab: MoneyTab },
  { value: 'limits', label: 'Limits', Tab: LimitsTab },
  { value: 'access', label: 'Keys and sessions', Tab: AccessTab },
  { value: 'history', label: 'History', Tab: HistoryTab },
];

export function Page() {
  const { account } = useParams({ from: '/customers/$account' });
  const shown = useQuery(readQuery<Account>('account show', { account }));
  return <Loaded query={shown}>{(found) => <Customer account={found} />}</Loaded>;
}

function Customer({ account }: { account: Account }) {
  const [{ tab = 'overview' }, choose] = useChosen();
  useRecordTitle(account.name);
  const given = { account: account.account_id };
  const isSuspended = account.invite_status === 'suspended';
  return (
    <>
      <PageHead
        title={account.name}
        lead={
          <Group gap="xs" component="span">
            {account.email} <State state={account.invite_status} />
          </Group>
        }
        back={<Anchor renderRoot={(props) => <Link to="/customers" {...props} />}>Customers</Anchor>}
      >
        <VerbButton verb="account fund" given={given} label="Add credit" variant="filled" />
        <VerbButton verb="account adjust" given={given} label="Adjust" title="Adjust the balance" />
        {isSuspended || account.invite_status === 'none' ? (
          <VerbButton verb="account activate" given={given} label="Activate" />
        ) : null}
        {account.invite_status === 'active' && (
          <VerbButton verb="account suspend" given={given} label="Suspend" title="Suspend the account" />
        )}
      </PageHead>
      <Tabs
        value={tab}
        onChange={(value) => choose({ tab: value === 'overview' ? undefined : (value ?? undefined) })}
      >
        <Tabs.List mb="lg">
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ value, Tab }) => (
          <Tabs.Panel key={value} value={value}>
            {tab === value && (
              <Stack gap="lg">
                <Tab account={account} />
              </Stack>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
