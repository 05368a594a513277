import { USAGE_OUTCOMES } from '@farebox/errors';
import fc from 'fast-check';
import type {
  GeneratedOperation,
  GeneratedRun,
  GeneratedStep,
  GeneratedUsage,
  HoldChoice,
  Via,
} from './generated-run';

type Arbitrary<Kind extends GeneratedOperation['kind']> = fc.Arbitrary<
  Extract<GeneratedOperation, { kind: Kind }>
>;

/** Plain objects like those written by hand, so that a failed run can be copied into a test. */
function plain<Value>(fields: { [Field in keyof Value]: fc.Arbitrary<Value[Field]> }): fc.Arbitrary<Value> {
  return fc.record<Value>(fields, { noNullPrototype: true });
}

const index = fc.nat({ max: 11 });
const rarely = fc.nat({ max: 19 }).map((n) => n === 19);
const via = fc.constantFrom<Via[]>('first', 'second', 'pool');
const amountNano = fc.oneof(
  { weight: 9, arbitrary: fc.bigInt({ min: 1n, max: 70n }) },
  { weight: 1, arbitrary: fc.constant(0n) },
);
const hold: fc.Arbitrary<HoldChoice> = plain({
  among: fc.constantFrom('open', 'open', 'open', 'ever'),
  index,
});
const usage: fc.Arbitrary<GeneratedUsage> = plain({
  costNano: fc.oneof(
    { weight: 6, arbitrary: fc.bigInt({ min: 1n, max: 40n }) },
    { weight: 2, arbitrary: fc.bigInt({ min: 41n, max: 90n }) },
    { weight: 1, arbitrary: fc.constant(0n) },
  ),
  promptTokens: fc.nat({ max: 50 }),
  completionTokens: fc.nat({ max: 50 }),
  cachedTokens: fc.option(fc.nat({ max: 50 }), { nil: undefined }),
  cacheWriteTokens: fc.option(fc.nat({ max: 50 }), { nil: undefined }),
  reasoningTokens: fc.option(fc.nat({ max: 50 }), { nil: undefined }),
  images: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
  outcome: fc.constantFrom(...USAGE_OUTCOMES),
  firstTokenMs: fc.option(fc.nat({ max: 9 }), { nil: undefined }),
  flags: fc.tuple(fc.boolean(), fc.boolean()),
  answer: fc.option(fc.nat({ max: 255 }), { nil: undefined }),
});

const admit: Arbitrary<'admit'> = plain({
  kind: fc.constant('admit'),
  via,
  apiKey: index,
  isForeign: rarely,
  isFormerSecret: rarely,
  isFormerCohort: rarely,
  amountNano,
  model: fc.constantFrom(0, 0, 0, 1),
  claim: fc.option(plain({ key: fc.nat({ max: 2 }), body: fc.nat({ max: 1 }) }), { nil: undefined }),
});
const charge: Arbitrary<'charge'> = plain({
  kind: fc.constant('charge'),
  via,
  hold,
  isForeign: rarely,
  usage,
});
const release: Arbitrary<'release'> = plain({
  kind: fc.constant('release'),
  via,
  hold,
  isForeign: rarely,
  abandoned: fc.option(plain({ costNano: amountNano, isRouted: fc.boolean() }), { nil: undefined }),
});
const openReview: Arbitrary<'openReview'> = plain({ kind: fc.constant('openReview'), hold, usage });
const refund: Arbitrary<'refund'> = plain({
  kind: fc.constant('refund'),
  hold: plain({ among: fc.constantFrom('charged', 'charged', 'charged', 'ever'), index }),
});
const resolveReview: Arbitrary<'resolveReview'> = plain({
  kind: fc.constant('resolveReview'),
  among: fc.constantFrom('open', 'open', 'open', 'ever', 'holds'),
  index,
  resolution: fc.constantFrom('charge', 'waive'),
});
const movement = { account: index, reference: fc.nat({ max: 2 }) };
const topUp: Arbitrary<'topUp'> = plain({
  kind: fc.constant('topUp'),
  ...movement,
  amountNano: fc.constantFrom(40n, 90n),
});
const adjust: Arbitrary<'adjust'> = plain({
  kind: fc.constant('adjust'),
  ...movement,
  amountNano: fc.constantFrom(-60n, -20n, 30n),
});
const changeKey: Arbitrary<'revokeKey' | 'rotateKey' | 'expireKey'> = plain({
  kind: fc.constantFrom('revokeKey', 'rotateKey', 'rotateKey', 'expireKey'),
  apiKey: index,
});
const setMonthlyLimit: Arbitrary<'setMonthlyLimit'> = plain({
  kind: fc.constant('setMonthlyLimit'),
  apiKey: index,
  limitNano: fc.option(fc.bigInt({ min: 0n, max: 200n }), { nil: undefined }),
});
const changeAccount: Arbitrary<'suspend' | 'activate'> = plain({
  kind: fc.constantFrom('suspend', 'activate', 'activate', 'activate'),
  account: index,
});
const moveToCohort: Arbitrary<'moveToCohort'> = plain({
  kind: fc.constant('moveToCohort'),
  account: index,
  cohort: fc.nat({ max: 1 }),
});
const other: Arbitrary<'gatewayLost' | 'renewLease' | 'expireAnswers' | 'purgeKeptAnswers'> = plain({
  kind: fc.constantFrom(
    'gatewayLost',
    'renewLease',
    'renewLease',
    'renewLease',
    'expireAnswers',
    'purgeKeptAnswers',
  ),
});

const operation: fc.Arbitrary<GeneratedOperation> = fc.oneof(
  { weight: 50, arbitrary: admit },
  { weight: 14, arbitrary: charge },
  { weight: 5, arbitrary: release },
  { weight: 5, arbitrary: openReview },
  { weight: 5, arbitrary: resolveReview },
  { weight: 4, arbitrary: refund },
  { weight: 5, arbitrary: topUp },
  { weight: 4, arbitrary: adjust },
  { weight: 3, arbitrary: changeKey },
  { weight: 2, arbitrary: setMonthlyLimit },
  { weight: 3, arbitrary: changeAccount },
  { weight: 2, arbitrary: moveToCohort },
  { weight: 6, arbitrary: other },
);
/** Sometimes until a call has ended, sometimes only until its first items were skipped. */
const lockAccount: Arbitrary<'lockAccount'> = plain({
  kind: fc.constant('lockAccount'),
  account: index,
  lockMs: fc.nat({ max: 4 }),
});
const lockOrNone = fc.array(lockAccount, { maxLength: 1 });
/** Many operations of one kind at once, in one call of a gateway: tests the sums within a call. */
const burst: fc.Arbitrary<GeneratedOperation[]> = fc
  .tuple(
    via,
    fc.oneof(
      ...[admit, admit, admit, charge, charge, release, openReview, resolveReview, refund, adjust].map(
        (kind) => fc.array<GeneratedOperation>(kind, { minLength: 2, maxLength: 4 }),
      ),
    ),
  )
  .map(([gateway, operations]) =>
    operations.map((one, index) => {
      if (one.kind === 'admit') return { ...one, via: gateway };
      if (one.kind !== 'charge' && one.kind !== 'release') return one;
      return { ...one, via: gateway, hold: { among: 'open', index } };
    }),
  );

/** A gateway has placed some holds and is lost while their charges arrive late. */
const loss: fc.Arbitrary<GeneratedStep[]> = fc
  .tuple(
    fc.array(admit, { minLength: 1, maxLength: 4 }),
    fc.array(fc.oneof(charge, release, openReview), { minLength: 1, maxLength: 3 }),
    lockOrNone,
  )
  .map(([admissions, late, locks]) => [
    [{ kind: 'renewLease' }],
    admissions.map((one) => ({ ...one, via: 'pool' })),
    [
      ...locks,
      { kind: 'gatewayLost' },
      ...late.map((one, index): GeneratedOperation => ({ ...one, hold: { among: 'open', index } })),
    ],
  ]);

/** The same operation several times at once, to be done once. */
const repetition: fc.Arbitrary<GeneratedOperation[]> = fc
  .tuple(
    fc.oneof(admit, charge, release, openReview, resolveReview, refund, topUp, adjust),
    fc.integer({ min: 2, max: 3 }),
  )
  .map(([one, times]) => Array.from<GeneratedOperation>({ length: times }).fill(one));

/** The same while an account may be locked: tests the order of operations. */
const besideLock = (operations: fc.Arbitrary<GeneratedOperation[]>): fc.Arbitrary<GeneratedOperation[]> =>
  fc.tuple(lockOrNone, operations).map(([locks, others]) => [...locks, ...others]);

const step: fc.Arbitrary<GeneratedStep> = fc.oneof(
  { weight: 5, arbitrary: besideLock(burst) },
  { weight: 3, arbitrary: repetition },
  { weight: 16, arbitrary: besideLock(fc.array(operation, { minLength: 1, maxLength: 4, size: 'max' })) },
  { weight: 1, arbitrary: fc.constantFrom('dayPasses', 'monthPasses') },
);
const part: fc.Arbitrary<GeneratedStep[]> = fc.oneof(
  { weight: 24, arbitrary: step.map((one) => [one]) },
  { weight: 1, arbitrary: loss },
);

/** Few accounts and keys with little money and narrow limits, so that every refusal is likely. */
export const generatedRun: fc.Arbitrary<GeneratedRun> = plain({
  accounts: fc.array(
    fc.record(
      {
        balanceNano: fc.bigInt({ min: 0n, max: 300n }),
        dailyRequestCap: fc.integer({ min: 2, max: 8 }),
        dailySpendCapNano: fc.bigInt({ min: 40n, max: 300n }),
        dailyAbandonedRequests: fc.integer({ min: 1, max: 4 }),
        dailyAbandonmentNano: fc.bigInt({ min: 20n, max: 300n }),
      },
      { requiredKeys: ['balanceNano'], noNullPrototype: true },
    ),
    { minLength: 1, maxLength: 2 },
  ),
  apiKeys: fc.array(
    fc.record(
      { account: index, monthlySpendLimitNano: fc.bigInt({ min: 40n, max: 250n }) },
      { requiredKeys: ['account'], noNullPrototype: true },
    ),
    { minLength: 2, maxLength: 3 },
  ),
  steps: fc.array(part, { minLength: 1, maxLength: 14, size: 'max' }).map((parts) => parts.flat()),
});
