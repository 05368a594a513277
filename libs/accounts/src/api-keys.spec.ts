import { fromModelPolicy, toModelPolicy, type ModelPolicy } from './api-keys';

it.each<[ModelPolicy | null]>([[null], [{ mode: 'allow', models: ['a'] }], [{ mode: 'block', models: [] }]])(
  'the policy %j survives a round trip through storage',
  (policy) => {
    expect(toModelPolicy(fromModelPolicy(policy))).toEqual(policy);
  },
);
