import type { JobHandlers } from '@farebox/jobs';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';
import type { WorkerConfig } from './config';
import { applyReviewPolicy } from './jobs/apply-review-policy/apply-review-policy';
import { checkBooks } from './jobs/check-books/check-books';
import { findLowBalances } from './jobs/find-low-balances/find-low-balances';
import { forgetAnswers } from './jobs/forget-answers/forget-answers';
import { forgetRequests } from './jobs/forget-requests/forget-requests';
import { purgeSignIns } from './jobs/forget-sign-ins/forget-sign-ins';
import { issueInvoices } from './jobs/issue-invoices/issue-invoices';
import { makePartitions } from './jobs/make-partitions/make-partitions';
import { reconcileCharge } from './jobs/reconcile-charge/reconcile-charge';
import { sendMail, type SendMailParts } from './jobs/send-mail/send-mail';
import { sumUsage } from './jobs/sum-usage/sum-usage';
import { sweepHolds } from './jobs/sweep-holds/sweep-holds';
import { tendMails } from './jobs/tend-mails/tend-mails';

export interface HandlerParts {
  config: Pick<WorkerConfig, 'reviewPolicy' | 'retentionMonths' | 'forgottenUsage'>;
  pool: Pool;
  /** For statements that may take minutes. They end with this process. */
  longWork: Pool;
  mails: SendMailParts;
  log: Logger;
}

/** What does each job. */
export function createHandlers({ config, pool, longWork, mails, log }: HandlerParts): JobHandlers {
  const policy = config.reviewPolicy;
  return {
    'sweep-holds': () => sweepHolds({ pool, log }),
    'forget-answers': () => forgetAnswers({ pool, log }),
    'forget-sign-ins': () => purgeSignIns({ pool, log }),
    'sum-usage': () => sumUsage({ pool, log }),
    'find-low-balances': () => findLowBalances({ pool, log }),
    'tend-mails': () => tendMails({ pool, log }),
    'issue-invoices': () => issueInvoices({ longWork, log }),
    'check-books': () => checkBooks({ longWork, log }),
    'forget-requests': () =>
      forgetRequests({ pool, log, months: config.retentionMonths, forgotten: config.forgottenUsage }),
    'make-partitions': () => makePartitions({ pool, log }),
    'apply-review-policy': () => applyReviewPolicy({ pool, log, policy }),
    'send-mail': (mail) => sendMail(mail, mails),
    'reconcile-charge': (charge) => reconcileCharge({ pool, log, policy }, charge),
  };
}
