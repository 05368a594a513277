import {
  countKeysOfModels,
  createApiKey,
  endAllAccountSessions,
  findApiKey,
  findDevice,
  findSignInLink,
  listApiKeys,
  listCredentialEvents,
  listDevices,
  obtainPlaygroundKey,
  ownsApiKey,
  ownsCredentialEvent,
  ownsDevice,
  readBillingDetails,
  recordHeartbeat,
  registerDevice,
  renameDevice,
  revokeApiKey,
  revokeDevice,
  rotateApiKey,
  startDeviceSession,
  updateApiKey,
  updateBillingDetails,
  updateOwnAccount,
} from '@farebox/accounts';
import { listOfferedModels, listOwnLimits, readAccountState } from './account';
import {
  findOwnCheckout,
  findOwnInvoice,
  listOwnFundings,
  listOwnInvoices,
  listTransactions,
  readOwnBalance,
  startCheckout,
  type CardPayments,
} from './billing';
import { findOwnCreditNote, listOwnCreditNotes } from './credit-notes';
import { exportOwnRequests, exportTransactions } from './exports';
import { findOwnReceipt, listOwnReceipts } from './payment-receipts';
import { listPublicRoots, readOwnProof, type RootPage } from './ledger-roots';
import { readReceipt } from './receipts';
import {
  endSession,
  listSessions,
  requestLink,
  spendCode,
  spendLink,
  type CodeAttempt,
  type LinkAttempt,
  type WantedLink,
} from './sign-in';
import type { Sources } from './sources';
import { findOwnStatement, listOwnStatements } from './statements';
import { endOwnTopUps, orderTopUps, readOwnTopUp, removeOwnCard, startCardSetup } from './top-ups';
import { findOwnRequest, listOwnRequests, usageByApiKey, usageByModel, usageByTime } from './usage';
import {
  createOwnWebhook,
  deleteOwnWebhook,
  findOwnWebhook,
  listOwnDeliveries,
  listOwnWebhooks,
  ownsWebhook,
  ownsWebhookDelivery,
  resendOwnDelivery,
  rotateOwnWebhook,
  testOwnWebhook,
  updateOwnWebhook,
  type WebhookSettings,
} from './webhooks';
import { redeemOwnVoucher } from './vouchers';

/** Everything that `http/` may do to the database: it gets these functions, and no client to query. */
export type UseCases = ReturnType<typeof bindUseCases>;

/** `card` is set if card payments are configured, and `webhooks` if those are. */
export function bindUseCases(
  sources: Sources,
  card: CardPayments | undefined,
  webhooks: WebhookSettings | undefined,
) {
  const { pool, accounts } = sources;
  return {
    account: {
      ...bind(sources, { listOfferedModels, listOwnLimits, readAccountState }),
      ...bind(accounts, { countKeysOfModels, listCredentialEvents, ownsCredentialEvent, updateOwnAccount }),
    },
    apiKeys: bind(accounts, {
      createApiKey,
      findApiKey,
      listApiKeys,
      obtainPlaygroundKey,
      ownsApiKey,
      revokeApiKey,
      rotateApiKey,
      updateApiKey,
    }),
    devices: bind(accounts, {
      findDevice,
      listDevices,
      ownsDevice,
      recordHeartbeat,
      registerDevice,
      renameDevice,
      revokeDevice,
      startDeviceSession,
    }),
    sessions: bind(accounts, { endAllAccountSessions, endSession, listSessions }),
    // Before sign-in there is no account.
    signIn: {
      findSignInLink: (token: string) => findSignInLink(accounts, token),
      requestLink: (wanted: WantedLink) => requestLink(wanted, accounts),
      spendCode: (attempt: CodeAttempt) => spendCode(attempt, accounts),
      spendLink: (attempt: LinkAttempt) => spendLink(attempt, accounts),
    },
    usage: bind(sources, {
      exportOwnRequests,
      findOwnRequest,
      listOwnRequests,
      usageByApiKey,
      usageByModel,
      usageByTime,
    }),
    receipts: bind(sources, { readReceipt }),
    proofs: {
      ...bind(sources, { readOwnProof }),
      listPublicRoots: (page: RootPage) => listPublicRoots(page, sources),
    },
    billing: bind(sources, {
      exportTransactions,
      findOwnCheckout,
      listOwnFundings,
      listTransactions,
      readOwnBalance,
    }),
    billingDetails: bind(accounts, { readBillingDetails, updateBillingDetails }),
    creditNotes: bind(sources, { findOwnCreditNote, listOwnCreditNotes }),
    invoices: bind(sources, { findOwnInvoice, listOwnInvoices }),
    paymentReceipts: bind(sources, { findOwnReceipt, listOwnReceipts }),
    statements: bind(sources, { findOwnStatement, listOwnStatements }),
    vouchers: bind(sources, { redeemOwnVoucher }),
    card: card && {
      bounds: card.bounds,
      ...bind({ pool, card }, { startCheckout }),
      ...bind(
        { pool, accounts, card },
        { endOwnTopUps, orderTopUps, readOwnTopUp, removeOwnCard, startCardSetup },
      ),
    },
    webhooks:
      webhooks &&
      bind(
        { accounts, webhooks },
        {
          createOwnWebhook,
          deleteOwnWebhook,
          findOwnWebhook,
          listOwnDeliveries,
          listOwnWebhooks,
          ownsWebhook,
          ownsWebhookDelivery,
          resendOwnDelivery,
          rotateOwnWebhook,
          testOwnWebhook,
          updateOwnWebhook,
        },
      ),
  };
}

type Bound<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (
    accountId: string,
    source: never,
    ...rest: infer Rest
  ) => infer Result
    ? (accountId: string, ...rest: Rest) => Result
    : never;
};

/** The same functions, without their second parameter. */
function bind<
  Source,
  Functions extends Record<string, (accountId: string, source: Source, ...rest: never[]) => unknown>,
>(source: Source, functions: Functions): Bound<Functions> {
  const bound = Object.entries(functions).map(([name, call]) => [
    name,
    (accountId: string, ...rest: never[]) => call(accountId, source, ...rest),
  ]);
  return Object.fromEntries(bound) as Bound<Functions>;
}
