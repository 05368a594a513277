import { fromNano, shareOf, toCount, toDollars, toNano, toShortDollars } from '@farebox/ui/format';
import { CopyableText } from '@farebox/ui/copyable';
import { inEnglish } from '@farebox/ui/language';
import { Moment } from '@farebox/ui/moments';
import { Card, Facts, Figure } from '@farebox/ui/record-table';
import { Anchor, Group, SimpleGrid } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { RequestList } from './request-list';
import { VerbButton } from './verb-button';

/** The report of `account show`. */
export interface Account {
  account_id: string;
  email: string;
  name: string;
  invite_status: string;
  cohort: string;
  balance: string;
  held: string;
  available: string;
  requests_today: number;
  spent_today: string;
  held_today: string;
  spent_this_month: string;
  owed: string;
  low_balance: string | null;
  daily_request_cap: number;
  daily_spend_cap: string;
  daily_abandoned_requests: number;
  daily_abandonment: string;
  own_caps: Readonly<Record<'requests' | 'spend' | 'abandoned_requests' | 'abandonment', boolean>>;
  live_api_keys: number;
  payments_to_check: number;
  open_disputes: number;
  last_mail: { kind: string; state: string; posted_at: number } | null;
  created_at: number;
}

const LAST_REQUESTS = '10';

const origin = (isOwn: boolean, cohort: string): string => (isOwn ? 'its own' : `of the cohort ${cohort}`);

export function CustomerOverview({ account }: { account: Account }) {
  const { last_mail: mail, own_caps: own, cohort } = account;
  const given = { account: account.account_id };
  /** The cap counts both. */
  const committed = fromNano(toNano(account.spent_today) + toNano(account.held_today));
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
        <Figure
          label="Available"
          value={toShortDollars(account.available)}
          note={`${toDollars(account.balance)} in all, ${toDollars(account.held)} held`}
        />
        <Figure
          label="Spent today"
          value={toShortDollars(account.spent_today)}
          share={shareOf(committed, account.daily_spend_cap)}
          note={`of ${toDollars(account.daily_spend_cap)} a day, ${origin(own.spend, cohort)}`}
        />
        <Figure
          label="Requests today"
          value={toCount(account.requests_today)}
          share={shareOf(String(account.requests_today), String(account.daily_request_cap))}
          note={`of ${toCount(account.daily_request_cap)} a day, ${origin(own.requests, cohort)}`}
        />
        <Figure
          label="Spent this month"
          value={toShortDollars(account.spent_this_month)}
          note="by requests that began in it, UTC"
        />
      </SimpleGrid>
      <Card
        title="Account"
        actions={
          <>
            <VerbButton size="xs" verb="account rename" given={given} label="Rename" />
            <VerbButton size="xs" verb="account email" given={given} label="Change e-mail" />
            <VerbButton size="xs" verb="account cohort" given={given} label="Move to a cohort" />
            <VerbButton
              size="xs"
              verb="account erase"
              given={given}
              {...(account.invite_status === 'invited'
                ? { label: 'Withdraw the invite' }
                : { label: 'Erase', title: 'Erase the person' })}
            />
            <VerbButton
              size="xs"
              verb="account invite"
              given={{ email: account.email, name: account.name }}
              ask={['credit', 'no_mail']}
              label="Invite again"
            />
          </>
        }
      >
        <Facts
          facts={[
            [
              inEnglish('Id'),
              <CopyableText key="id" text={account.account_id} label="Copy the id of the account" />,
            ],
            [inEnglish('Cohort'), cohort],
            [inEnglish('Created'), <Moment key="created" seconds={account.created_at} />],
            [inEnglish('Live API keys'), toCount(account.live_api_keys)],
            [
              inEnglish('Low balance'),
              account.low_balance === null ? 'No mail' : `Mailed below ${toDollars(account.low_balance)}`,
            ],
            [
              inEnglish('Payments to check'),
              account.payments_to_check === 0 ? 'None' : toCount(account.payments_to_check),
            ],
            [
              inEnglish('Open disputes'),
              account.open_disputes === 0 ? 'None' : toCount(account.open_disputes),
            ],
            [
              inEnglish('Last mail'),
              mail === null ? (
                'None'
              ) : (
                <Group key="mail" gap="xs">
                  {mail.kind.replaceAll('_', ' ')}, {mail.state}, <Moment seconds={mail.posted_at} />
                </Group>
              ),
            ],
          ]}
        />
      </Card>
      <RequestList
        given={{ ...given, limit: LAST_REQUESTS }}
        title="Last requests"
        hidden={['email']}
        head={
          <Anchor fz="sm" renderRoot={(props) => <Link to="/requests" search={given} {...props} />}>
            Filter them
          </Anchor>
        }
        empty="They have made no request."
      />
    </>
  );
}
