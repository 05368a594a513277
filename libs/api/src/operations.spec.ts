import { ERROR_CODES } from '@farebox/errors';
import { buildDocument } from './document/document';
import { GATEWAY_PATHS } from './gateway-paths';
import { errorAnswersOf } from './operation-errors';
import { OPERATIONS } from './operations';

describe.each(OPERATIONS.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  it('has a unique name and path', () => {
    const same = OPERATIONS.filter(
      ({ id, method, path }) =>
        id === operation.id || (method === operation.method && path === operation.path),
    );
    expect(same).toEqual([operation]);
  });

  it('has consistent statuses for every response', () => {
    const statuses = operation.answers.map(({ status }) => status);
    expect(new Set(statuses).size).toBe(statuses.length);
    const errors = errorAnswersOf(operation).map(({ status }) => status);
    expect(errors.filter((status) => statuses.includes(status))).toEqual([]);
  });

  it('shows an example of each body', () => {
    const contents = operation.answers.flatMap((answer) => answer.contents);
    for (const { examples } of [...contents, ...(operation.body ? [operation.body] : [])]) {
      expect(Object.keys(examples)).not.toEqual([]);
    }
  });
});

it('every error of the closed set occurs in some operation', () => {
  const answered = new Set(
    OPERATIONS.flatMap((operation) => errorAnswersOf(operation).map(({ code }) => code)),
  );
  expect([...answered].sort()).toEqual(Object.keys(ERROR_CODES).sort());
});

it('the document is the same each time', () => {
  expect(JSON.stringify(buildDocument())).toBe(JSON.stringify(buildDocument()));
});

it('the edge knows the path of every operation that only the gateways serve', () => {
  const ofGateways = OPERATIONS.filter(({ services }) => services.join() === 'gateway');
  expect(Object.entries(GATEWAY_PATHS)).toEqual(
    expect.arrayContaining(ofGateways.map(({ id, path }) => [id, path])),
  );
  expect(Object.keys(GATEWAY_PATHS)).toHaveLength(ofGateways.length);
});
