import { accessCommands } from './account-access';
import { limitCommands } from './account-limits';
import { personCommands } from './account-person';
import { accountCommands, cohortCommands } from './accounts';
import { catalogCommands } from './catalog';
import { catalogImportCommands } from './catalog-import';
import { catalogScheduleCommands } from './catalog-schedule';
import { catalogVersionCommands } from './catalog-versions';
import { disputeCommands } from './disputes';
import { fundCommands } from './funds';
import { invoiceCommands } from './invoices';
import { jobCommands } from './jobs';
import { keyCommands } from './keys';
import { limitPolicyCommands } from './limit-policies';
import { ledgerCommands, marginCommands } from './ledger';
import { rootCommands } from './ledger-roots';
import { logCommands } from './operator-actions';
import { operatorCommands } from './operators';
import { overheadCommands } from './prompt-overhead';
import { reconcileCommands } from './reconcile/reconcile';
import { refundCommands } from './refunds';
import { rehearsalCommands } from './rehearsal';
import { reportCommands } from './reports';
import { requestListCommands } from './request-list';
import { requestCommands } from './requests';
import { resolveCommands } from './resolve-reviews';
import { reviewCommands } from './reviews';
import { sellerCommands } from './seller';
import { deviceCommands, sessionCommands } from './sessions';
import { statusCommands } from './status/status';
import { topUpCommands } from './top-ups';
import { webhookDeliveryCommands } from './webhook-deliveries';
import { webhookCommands } from './webhooks';
import { voucherCommands } from './vouchers';
import { withNamedAccounts } from './named-accounts';
import type { Verbs } from './verb';

/** The help of groups of verbs, by their first word. */
export const GROUPS: Readonly<Record<string, { help: string; note?: string }>> = {
  account: { help: 'accounts: create, admit, fund, limit, inspect' },
  cohort: { help: 'groups of accounts: their daily caps and models' },
  session: { help: 'account sessions' },
  device: { help: 'machines of accounts' },
  key: { help: 'API keys' },
  dispute: { help: 'payments that the bank of the payer has taken back' },
  voucher: { help: 'codes that are worth an amount, once' },
  limit: { help: 'limits of requests, tokens, concurrency and spending' },
  catalog: { help: 'models, upstreams and prices' },
  ledger: { help: 'the books' },
  report: { help: 'figures of a period: revenue, customers, refusals, upstreams' },
  request: { help: 'requests of all accounts' },
  review: { help: 'requests whose charge needs a decision' },
  job: {
    help: "the worker's jobs; give the worker's REDIS_URL, if it has one",
    note: 'A job that has used all of its attempts stays in its queue as failed, until it is retried or discarded.',
  },
  invoice: { help: 'monthly invoices of accounts' },
  operator: { help: 'people who may sign in to the operator service' },
  'management-key': { help: "keys of the operator's API" },
  webhook: { help: 'URLs that are notified of events' },
  seller: { help: 'who sells, on invoices, receipts and credit notes' },
};

/** Every verb, in the order of the help. */
export const VERBS: Verbs = withNamedAccounts({
  ...accessCommands,
  ...personCommands,
  ...fundCommands,
  ...topUpCommands,
  ...voucherCommands,
  ...disputeCommands,
  ...limitCommands,
  ...accountCommands,
  ...cohortCommands,
  ...sessionCommands,
  ...deviceCommands,
  ...keyCommands,
  ...limitPolicyCommands,
  ...catalogCommands,
  ...catalogVersionCommands,
  ...catalogScheduleCommands,
  ...catalogImportCommands,
  ...rehearsalCommands,
  ...overheadCommands,
  ...ledgerCommands,
  ...rootCommands,
  ...marginCommands,
  ...reportCommands,
  ...reconcileCommands,
  ...requestCommands,
  ...requestListCommands,
  ...refundCommands,
  ...reviewCommands,
  ...resolveCommands,
  ...jobCommands,
  ...invoiceCommands,
  ...sellerCommands,
  ...webhookCommands,
  ...webhookDeliveryCommands,
  ...operatorCommands,
  ...logCommands,
  ...statusCommands,
});
