import { listCohorts, putCohort, type Cohort } from '@farebox/accounts';
import { toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import { readCohort, readRequestCount, readUsdFromZero } from './arguments';
import type { CommandRows } from './command-run';
import { toTable } from './lists';

export const cohortCommands: CommandRows = {
  'cohort list': {
    help: 'list the cohorts',
    examples: ['admin cohort list'],
    run:
      ({ read }) =>
      () =>
        read(async (_pool, accounts) => {
          const cohorts = await listCohorts(accounts);
          const data = cohorts.map((one) => ({ ...toReport(one), accounts: one.accounts }));
          const text = toTable(
            [
              { name: 'cohort' },
              { name: 'requests a day', align: 'right' },
              { name: 'dollars a day', align: 'right' },
              { name: 'accounts', align: 'right' },
            ],
            data.map((one) => [
              one.cohort,
              String(one.daily_request_cap),
              one.daily_spend_cap,
              String(one.accounts),
            ]),
          );
          return { json: { object: 'list', data }, text };
        }),
  },
  'cohort set': {
    help: 'make a cohort, or give one other daily caps; an account with caps of its own keeps them',
    takes: (command) =>
      command
        .argument('<cohort>', 'its name', readCohort)
        .requiredOption('--daily-requests <count>', 'requests a UTC day', readRequestCount)
        .requiredOption('--daily-spend <dollars>', 'dollars a UTC day', readUsdFromZero),
    examples: ['admin cohort set partners --daily-requests 100000 --daily-spend 1000.00'],
    run:
      ({ change }) =>
      async (name: string, { dailyRequests, dailySpend }: GivenCohort) => {
        await change(async ({ accounts, record }) => {
          const after = { name, dailyRequestCap: dailyRequests, dailySpendCapNano: dailySpend };
          const before = await putCohort(accounts, after);
          const json = toReport(after);
          const text = `An account of the cohort ${name} may make ${String(dailyRequests)} requests and spend ${json.daily_spend_cap} dollars a day.`;
          if (before?.dailyRequestCap === dailyRequests && before.dailySpendCapNano === dailySpend) {
            return { json, text, unchanged: true };
          }
          await record(name, { ...(before && toDetailsBefore(before)), ...toCaps(after) });
          return { json, text };
        });
      },
  },
};

interface GivenCohort {
  dailyRequests: number;
  dailySpend: NanoUsd;
}

function toReport(cohort: Cohort) {
  return { cohort: cohort.name, ...toCaps(cohort) };
}

function toCaps({ dailyRequestCap, dailySpendCapNano }: Cohort) {
  return { daily_request_cap: dailyRequestCap, daily_spend_cap: toDecimalUsd(toNanoUsd(dailySpendCapNano)) };
}

function toDetailsBefore(before: Cohort) {
  const { daily_request_cap, daily_spend_cap } = toCaps(before);
  return { daily_request_cap_before: daily_request_cap, daily_spend_cap_before: daily_spend_cap };
}
