import { Stack } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { accountQuery, limitsQuery, LIMITS_REFRESH_MS } from '../api';
import { toCount } from '@farebox/ui/format';
import { t } from '@farebox/ui/language';
import { toCapRows, toLimitRows } from '../limit-rows';
import { LimitTable } from '../parts/limit-table';
import { Card, Facts } from '@farebox/ui/record-table';
import { Empty, Loaded, PageHead } from '@farebox/ui/states';

export function Page() {
  const account = useQuery({ ...accountQuery, refetchInterval: LIMITS_REFRESH_MS });
  const limits = useQuery(limitsQuery);
  return (
    <>
      <PageHead
        title={t('Limits')}
        lead={t('The operator sets them. A request must have room in all that apply to it.')}
      />
      <Stack gap="lg">
        <Loaded query={account}>
          {(record) => (
            <>
              <Card
                flush
                title={t('Current use')}
                note={t('Windows begin and end by UTC; a week begins on Monday.')}
              >
                <Loaded query={limits}>
                  {({ data }) => {
                    const rows = [...toCapRows(record), ...toLimitRows(data)];
                    return rows.length === 0 ? (
                      <Empty icon={IconGauge} title={t('No limits set')}>
                        {t('You can spend what is on your balance, within the limits of each API key.')}
                      </Empty>
                    ) : (
                      <LimitTable rows={rows} />
                    );
                  }}
                </Loaded>
              </Card>
              <Card
                title={t('Each API key')}
                note={t('Keys can have monthly spending limits besides, which you set yourself.')}
              >
                <Facts facts={factsOf(record.request_limits)} />
              </Card>
            </>
          )}
        </Loaded>
      </Stack>
    </>
  );
}

const factsOf = (each: { requests: number; window_seconds: number; concurrent: number }) =>
  [
    [
      'Requests',
      t('{count} in {seconds, plural, one {# second} other {# seconds}}', {
        ...{ count: toCount(each.requests), seconds: each.window_seconds },
      }),
    ],
    ['Requests at once', toCount(each.concurrent)],
  ] as const;
