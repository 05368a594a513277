import { toCount, toDollars } from '@farebox/ui/format';
import { inEnglish } from '@farebox/ui/language';
import { Card, Facts } from '@farebox/ui/record-table';
import { IconAdjustments } from '@tabler/icons-react';
import type { Account } from './customer-overview';
import { LIMIT_FIELDS, RemoveLimit } from './limit-rows';
import { VerbList } from './rows';
import { VerbButton } from './verb-button';

export function LimitsTab({ account }: { account: Account }) {
  const given = { account: account.account_id };
  const of = (isOwn: boolean): string => (isOwn ? 'of its own' : `of the cohort ${account.cohort}`);
  return (
    <>
      <Card
        title="Daily caps"
        note="A day is a UTC day."
        actions={
          <>
            <VerbButton size="xs" verb="account caps" given={given} label="Change caps" />
            <VerbButton size="xs" verb="account low-balance" given={given} label="Low-balance mail" />
          </>
        }
      >
        <Facts
          facts={[
            [
              inEnglish('Requests'),
              `${toCount(account.daily_request_cap)}, ${of(account.own_caps.requests)}`,
            ],
            [inEnglish('Spend'), `${toDollars(account.daily_spend_cap)}, ${of(account.own_caps.spend)}`],
            [
              inEnglish('Requests that are left'),
              `${toCount(account.daily_abandoned_requests)}, ${of(account.own_caps.abandoned_requests)}`,
            ],
            [
              inEnglish('Cost of those'),
              `${toDollars(account.daily_abandonment)}, ${of(account.own_caps.abandonment)}`,
            ],
          ]}
        />
      </Card>
      <VerbList
        verb="limit list"
        given={given}
        title="Limits"
        note="Of this account. Limits of its cohort, its keys and of models count as well."
        icon={IconAdjustments}
        fields={LIMIT_FIELDS.filter((field) => field !== 'account_id')}
        actions={(row) => <RemoveLimit row={row} />}
        head={
          <VerbButton
            size="xs"
            verb="limit set"
            given={given}
            ask={['model', 'requests', 'tokens', 'concurrency', 'spend', 'per']}
            label="Set a limit"
          />
        }
        empty="This account has no limit of its own."
      />
    </>
  );
}
