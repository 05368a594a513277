import { toDollars } from '@farebox/ui/format';
import { inEnglish } from '@farebox/ui/language';
import { Card, Facts } from '@farebox/ui/record-table';
import { Loaded } from '@farebox/ui/states';
import { IconFileInvoice } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { readQuery } from '../api';
import { nameOfField, type Row } from '../row-fields';
import { Cell } from './cell';
import type { Account } from './customer-overview';
import { Disputes } from './disputes';
import { Lines, VerbList } from './rows';
import { VerbButton } from './verb-button';

export function MoneyTab({ account }: { account: Account }) {
  const given = { account: account.account_id };
  const topUps = useQuery(readQuery<Row>('account top-ups', given));
  return (
    <>
      <Card
        title="Balance"
        actions={
          <>
            <VerbButton
              size="xs"
              verb="request refund"
              given={given}
              ask={['from', 'to', 'outcome', 'model', 'reason']}
              label="Refund requests"
              title="Refund requests of this customer"
            />
            <VerbButton size="xs" verb="account collect" given={given} label="Collect the debt" />
          </>
        }
      >
        <Facts
          facts={[
            [inEnglish('Balance'), toDollars(account.balance)],
            [inEnglish('Held'), toDollars(account.held)],
            [inEnglish('Available'), toDollars(account.available)],
            [inEnglish('Owed'), `${toDollars(account.owed)} of payments that were taken back`],
          ]}
        />
      </Card>
      <Loaded query={topUps}>{(found) => <TopUps found={found} />}</Loaded>
      <Disputes given={{ ...given, state: 'all' }} empty="No payment of this customer was disputed." />
      <VerbList
        verb="invoice list"
        given={given}
        title="Invoices"
        hidden={['account_id']}
        icon={IconFileInvoice}
        empty="This customer has no invoice yet."
      />
    </>
  );
}

/** The standing order, and the payments that it has made. */
function TopUps({ found }: { found: Row }) {
  const lists = Object.entries(found).filter(([, value]) => Array.isArray(value));
  const facts = Object.keys(found).filter(
    (field) =>
      !['account_id', 'currency', 'object', 'has_more', ...lists.map(([name]) => name)].includes(field),
  );
  return (
    <Card flush title="Automatic top-up">
      <div style={{ padding: '0 20px 8px' }}>
        <Facts
          facts={facts.map((field) => [
            inEnglish(nameOfField(field)),
            <Cell key={field} field={field} row={found} />,
          ])}
        />
      </div>
      {lists.map(([name, rows]) => (
        <Lines
          key={name}
          rows={rows as readonly Row[]}
          label={nameOfField(name)}
          empty="It has made no payment yet."
        />
      ))}
    </Card>
  );
}
