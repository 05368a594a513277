import type { OperatorRole } from '@farebox/operators';

/** The roles that may use a verb over the operator's API, and how. At a shell, the database's login decides. */
export interface VerbRight {
  /** `reads` is GET, `changes` is POST. */
  kind: 'reads' | 'changes';
  /** In addition to owners, who may use all of them. */
  roles: readonly Exclude<OperatorRole, 'owner'>[];
  /** Only for people who signed in: no key can make keys or operators. */
  peopleOnly?: true;
}

const read: VerbRight = { kind: 'reads', roles: ['viewer', 'support', 'finance'] };
const support: VerbRight = { kind: 'changes', roles: ['support'] };
const finance: VerbRight = { kind: 'changes', roles: ['finance'] };
const owner: VerbRight = { kind: 'changes', roles: [] };
const ofOperators = { peopleOnly: true, roles: [] } as const;

/**
 * The one table of who may do what: routes, buttons, the document of the API and their tests follow from it. A verb
 * that is not named works at a shell alone.
 */
export const VERB_RIGHTS: Readonly<Record<string, VerbRight>> = {
  'account list': read,
  'account show': read,
  'account events': read,
  'account top-ups': read,
  'account create': support,
  'account invite': support,
  'account activate': support,
  'account suspend': support,
  'account caps': support,
  'account cohort': support,
  'account low-balance': support,
  'account rename': support,
  'account email': support,
  // It has everything that is kept of a person.
  'account export': { kind: 'reads', roles: ['support'] },
  'account erase': owner,
  'account fund': finance,
  'account adjust': finance,
  'account collect': finance,
  'voucher list': read,
  'voucher create': finance,
  'voucher revoke': finance,
  'dispute list': read,
  'dispute open': finance,
  'dispute close': finance,
  'cohort list': read,
  'cohort set': owner,
  'limit list': read,
  'limit set': support,
  'limit remove': support,
  'key list': read,
  'key create': support,
  'key revoke': support,
  'session list': read,
  'session revoke': support,
  'session create': owner,
  'device list': read,
  'device revoke': support,
  'catalog prices': read,
  'catalog versions': read,
  'catalog show': read,
  'catalog diff': { ...read, kind: 'changes' },
  'catalog rehearse': { ...read, kind: 'changes' },
  'catalog apply': owner,
  'catalog scheduled': read,
  'catalog unschedule': owner,
  'ledger verify': finance,
  'ledger roots': read,
  'ledger verify-roots': finance,
  'ledger prove': read,
  margin: read,
  'report revenue': read,
  'report customers': read,
  'report refusals': read,
  'report upstreams': read,
  'request list': read,
  'request show': read,
  'request refund': finance,
  'review list': read,
  'review show': read,
  'review resolve': finance,
  'job list': read,
  'job show': read,
  'job retry': support,
  'job discard': support,
  'invoice list': read,
  'invoice show': read,
  'invoice issue': finance,
  'seller show': read,
  'seller set': finance,
  'webhook list': read,
  'webhook show': read,
  'webhook deliveries': read,
  'webhook test': support,
  'webhook resend': support,
  'webhook enable': support,
  'webhook create': owner,
  'webhook rotate': owner,
  'webhook delete': owner,
  'operator list': read,
  'operator add': { kind: 'changes', ...ofOperators },
  'operator remove': { kind: 'changes', ...ofOperators },
  'management-key list': { kind: 'reads', ...ofOperators },
  'management-key create': { kind: 'changes', ...ofOperators },
  'management-key revoke': { kind: 'changes', ...ofOperators },
  log: read,
  status: read,
};

/**
 * Verbs that need what only a shell of the operator's has: secrets of upstreams, the database's owner, or long files and
 * new ones.
 */
export const SHELL_VERBS: readonly string[] = [
  'catalog measure',
  'operator link',
  'catalog import',
  'reconcile',
];

/** Under which the operator service has a path for every verb. */
export const OPERATOR_API = '/operator/v1';

/** Where the operator service offers a verb; undefined for one that works at a shell alone. */
export function routeOfVerb(words: string): { method: 'GET' | 'POST'; path: string } | undefined {
  const right = VERB_RIGHTS[words];
  if (!right) return undefined;
  return {
    method: right.kind === 'reads' ? 'GET' : 'POST',
    path: `${OPERATOR_API}/${words.replace(' ', '/')}`,
  };
}

/** The caller: a person, or a program with a management key. */
export interface VerbCaller {
  role: OperatorRole;
  /** Scopes of a key; null: all that its role may use. */
  scopes: readonly string[] | null;
  via: 'session' | 'key';
}

/** Whether somebody may use a verb. */
export function mayUse({ role, scopes, via }: VerbCaller, words: string): boolean {
  const right = VERB_RIGHTS[words];
  if (!right || (right.peopleOnly && via === 'key')) return false;
  if (role !== 'owner' && !right.roles.includes(role)) return false;
  return scopes === null || scopes.some((scope) => scope === words || scope === words.split(' ')[0]);
}
