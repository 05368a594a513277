import type { MailMessage } from './mail-message';
import { openMemoryOutbox, type MailReport, type MemoryOutboxOptions } from './mail-outbox';

const message: MailMessage = { to: 'ada@example.com', subject: 's', text: 't', html: 'h' };
const later = (): Error => Object.assign(new Error('busy'), { code: 'EMESSAGE', responseCode: 451 });
const never = (): Error => Object.assign(new Error('no'), { code: 'EENVELOPE', responseCode: 550 });

/** An outbox whose server does what `answers` say, one after the other, and then takes everything. */
function outboxWith(answers: (() => Error)[], more: Partial<MemoryOutboxOptions> = {}) {
  const reports: MailReport[] = [];
  const sent: MailMessage[] = [];
  let tell = (): void => undefined;
  const outbox = openMemoryOutbox({
    mailer: {
      send: (mail) => {
        const failure = answers.shift();
        if (failure) return Promise.reject(failure());
        sent.push(mail);
        return Promise.resolve();
      },
    },
    onReport: (report) => {
      reports.push(report);
      tell();
    },
    pausesMs: [1, 1],
    ...more,
  });
  return {
    outbox,
    sent,
    reports,
    outcomes: () => reports.map(({ outcome, attempt }) => `${outcome} ${String(attempt)}`),
    /** Waits until so many reports have come. */
    untilReports: async (count: number): Promise<void> => {
      while (reports.length < count) await new Promise<void>((resolve) => (tell = resolve));
    },
  };
}

it('a mail is sent after it was posted, not before', async () => {
  const { outbox, sent, untilReports, reports } = outboxWith([]);
  outbox.post(message, 'acct_1');
  expect(reports).toEqual([]);
  await untilReports(1);
  expect(sent).toEqual([message]);
  expect(reports).toEqual([{ accountId: 'acct_1', attempt: 1, outcome: 'sent' }]);
});

it('a server that is busy is asked again, a few times', async () => {
  const { outbox, untilReports, outcomes, sent } = outboxWith([later, later]);
  outbox.post(message, 'acct_1');
  await untilReports(3);
  expect(outcomes()).toEqual(['tried 1', 'tried 2', 'sent 3']);
  expect(sent).toHaveLength(1);
});

it('a server that stays busy is given up', async () => {
  const { outbox, untilReports, outcomes, reports, sent } = outboxWith([later, later, later]);
  outbox.post(message, 'acct_1');
  await untilReports(3);
  expect(outcomes()).toEqual(['tried 1', 'tried 2', 'given_up 3']);
  expect(reports[2]?.failure).toEqual({ reason: 'EMESSAGE', smtpStatus: 451, isPermanent: false });
  expect(sent).toEqual([]);
});

it('a server that refuses the mail is not asked again', async () => {
  const { outbox, untilReports, outcomes } = outboxWith([never]);
  outbox.post(message, 'acct_1');
  await untilReports(1);
  expect(outcomes()).toEqual(['given_up 1']);
});

it('only so many wait', async () => {
  const { outbox, reports, untilReports } = outboxWith([], { mostWaiting: 2 });
  for (let posts = 0; posts < 3; posts++) outbox.post(message, 'acct_1');
  expect(reports).toMatchObject([{ outcome: 'given_up', failure: { reason: 'outbox_full' } }]);
  await untilReports(3);
  expect(reports.filter(({ outcome }) => outcome === 'sent')).toHaveLength(2);
});

it('only so many are sent at once', async () => {
  let running = 0;
  let most = 0;
  const send = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
  };
  const { outbox, untilReports } = outboxWith([], { mailer: { send }, mostAtOnce: 2 });
  for (let posts = 0; posts < 9; posts++) outbox.post(message, 'acct_1');
  await untilReports(9);
  expect(most).toBe(2);
});

describe('at the end', () => {
  it('what is being sent is finished, and what waits for another attempt is given up', async () => {
    const { outbox, untilReports, outcomes } = outboxWith([later], { pausesMs: [3_600_000] });
    outbox.post(message, 'acct_1');
    await untilReports(1);
    outbox.post(message, 'acct_2');
    await outbox.close(10_000);
    expect(outcomes().sort()).toEqual(['given_up 1', 'sent 1', 'tried 1']);
    outbox.post(message, 'acct_3');
    expect(outcomes()).toHaveLength(4);
  });

  it('what is not sent by the deadline is cut', async () => {
    const send = (_: MailMessage, signal?: AbortSignal): Promise<void> =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          reject(later());
        });
      });
    const { outbox, outcomes } = outboxWith([], { mailer: { send } });
    outbox.post(message, 'acct_1');
    await outbox.close(5);
    expect(outcomes()).toEqual(['given_up 1']);
  });
});
