import { OPERATOR_ROLES } from '@farebox/operators';
import { VERBS } from './all-verbs';
import { mayUse, SHELL_VERBS, VERB_RIGHTS } from './rights';

it('the table of rights names every verb, once, and nothing else', () => {
  const named = [...Object.keys(VERB_RIGHTS), ...SHELL_VERBS];
  expect(named.sort()).toEqual(Object.keys(VERBS).sort());
});

it('an owner who signed in may use every verb of the table', () => {
  const refused = Object.keys(VERB_RIGHTS).filter(
    (words) => !mayUse({ role: 'owner', scopes: null, via: 'session' }, words),
  );
  expect(refused).toEqual([]);
});

it('a viewer changes nothing', () => {
  const allowed = Object.entries(VERB_RIGHTS).filter(([words]) =>
    mayUse({ role: 'viewer', scopes: null, via: 'session' }, words),
  );
  // A comparison with a file takes its text, so it is a POST, although it changes nothing.
  expect(allowed.filter(([, { kind }]) => kind === 'changes').map(([words]) => words)).toEqual([
    'catalog diff',
    'catalog rehearse',
  ]);
});

it('no key of any role may create keys or operators', () => {
  for (const role of OPERATOR_ROLES) {
    for (const words of ['operator add', 'operator remove', 'management-key create', 'management-key revoke'])
      expect(mayUse({ role, scopes: null, via: 'key' }, words)).toBe(false);
  }
});

it.each([
  [['report'], 'report revenue', true],
  [['account show'], 'account show', true],
  [['account show'], 'account fund', false],
  [['account'], 'account fund', true],
  [[], 'status', false],
  [['operator'], 'operator add', false],
])('a key with the scopes %j may use "%s": %s', (scopes, words, expected) => {
  expect(mayUse({ role: 'owner', scopes, via: 'key' }, words)).toBe(expected);
});

it('a verb that the table does not name is refused to everybody', () => {
  expect(mayUse({ role: 'owner', scopes: null, via: 'session' }, 'operator link')).toBe(false);
});
