import type { Parameter } from './api';
import { fieldsOf, resultOf, toGiven, wordsOf } from './verb-fields';

const parameter = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  ...{ name, description: `the ${name}`, required: false, kind: 'text', choices: null },
  ...more,
});

describe('the fields of a verb', () => {
  const verb = { parameters: ['account', 'amount', 'reason', 'yes', 'csv'].map((name) => parameter(name)) };
  const namesOf = (fields: readonly Parameter[]) => fields.map(({ name }) => name);

  it('are its parameters, without what is known and what the dialog asks itself', () => {
    expect(namesOf(fieldsOf(verb, { account: 'acct_1' }))).toEqual(['amount', 'reason']);
  });

  it('are those that are named, in the order of the verb', () => {
    expect(namesOf(fieldsOf(verb, {}, ['reason', 'amount']))).toEqual(['amount', 'reason']);
    expect(fieldsOf(verb, {}, [])).toEqual([]);
  });
});

it.each([
  [parameter('daily_spend', { description: 'dollars a day' }), 'Daily spend', 'Dollars a day.'],
  [parameter('to', { description: 'new name' }), 'New name', undefined],
  [parameter('key', { description: 'key_…' }), 'Key', 'key_…'],
  [
    parameter('account', { description: 'acct_…, or its e-mail address' }),
    'Account',
    'acct_…, or its e-mail address.',
  ],
  [parameter('address', { description: 'lines', kind: 'texts' }), 'Address', 'Lines. One on each line.'],
])('names %j for a person', (one, label, description) => {
  expect(wordsOf(one)).toEqual({ label, ...(description !== undefined && { description }) });
});

it('sends what was filled in, each in its form', () => {
  const fields = [
    parameter('name'),
    parameter('note'),
    parameter('no_mail', { kind: 'flag' }),
    parameter('all', { kind: 'flag' }),
    parameter('only', { kind: 'texts' }),
    parameter('file', { kind: 'file' }),
  ];
  const entries = {
    ...{ name: ' Ada ', note: '  ', no_mail: true, all: false },
    ...{ only: 'report\n\n account show \n', file: 'a:\n  - b\n' },
  };
  expect(toGiven(fields, entries)).toEqual({
    ...{ name: 'Ada', no_mail: true, only: ['report', 'account show'], file: 'a:\n  - b\n' },
  });
});

it('tells a secret, which stands before its sentences, from other texts', () => {
  const secret = `mk-${'a'.repeat(40)}`;
  expect(resultOf(`${secret}\nIt is shown only now.`)).toEqual({
    secret,
    sentences: 'It is shown only now.',
  });
  expect(resultOf('MODEL  COST\nsmall  1')).toEqual({ sentences: 'MODEL  COST\nsmall  1' });
  expect(resultOf(secret)).toEqual({ sentences: secret });
  expect(resultOf(`${secret}\n${secret}\nThey are shown only now.`)).toEqual({
    secret: `${secret}\n${secret}`,
    sentences: 'They are shown only now.',
  });
});
