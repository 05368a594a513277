import { errorAnswersOf } from '@farebox/api/operations';
import { ACCOUNT_OPERATIONS, openContractHarness, type ContractHarness } from '../../test/contract-harness';
import { provocationOf } from '../../test/provocations';

let harness: ContractHarness;
beforeAll(async () => {
  harness = await openContractHarness();
});
afterAll(() => harness.close());

const documented = ACCOUNT_OPERATIONS.flatMap((operation) =>
  errorAnswersOf(operation).map((error) => {
    const name = `${operation.method} ${operation.path} answers ${String(error.status)} ${error.code}`;
    return { name, operation, error, provocation: provocationOf(operation, error) };
  }),
);
const provoked = documented.flatMap(({ provocation, ...row }) =>
  'because' in provocation ? [] : [{ ...row, provoke: provocation }],
);

// `send` checks each answer against the OpenAPI document: status, headers, media type and body.
it.each(provoked)('$name', async ({ operation, error: { status, code }, provoke }) => {
  const answer = await provoke(harness, operation);
  const { error } = answer.json as { error?: { code?: unknown } };
  expect([answer.status, error?.code]).toEqual([status, code]);
});

it('every documented error is provoked, except a request that does not arrive in time', () => {
  const left = documented.filter(({ provocation }) => 'because' in provocation);
  expect(new Set(left.map(({ error: { status } }) => status))).toEqual(new Set([408]));
});
