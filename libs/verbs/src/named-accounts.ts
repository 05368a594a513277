import { findAccountByEmail } from '@farebox/accounts';
import { InvalidArgumentError } from 'commander';
import { readAccountId, readEmail } from './arguments';
import { NotFoundFailure } from './failures';
import type { Verb, VerbRunner, Verbs } from './verb';

/** An account given by its e-mail address, which the database knows. */
class AccountEmail {
  readonly email: string;

  constructor(email: string) {
    this.email = email;
  }
}

/**
 * Parses `acct_…` to its UUID, and accepts an e-mail address as well: `withNamedAccounts` finds its account before the
 * verb runs, which gets a UUID in any case.
 */
export function readAccount(text: string): string | AccountEmail {
  if (!text.includes('@')) return readAccountId(text);
  try {
    return new AccountEmail(readEmail(text));
  } catch {
    throw new InvalidArgumentError('An account is named by its id, like acct_01jd…, or its e-mail address.');
  }
}

/** The same verbs, whose accounts may be given by their e-mail addresses. */
export function withNamedAccounts(verbs: Verbs): Verbs {
  return Object.fromEntries(
    Object.entries(verbs).map(([words, verb]): [string, Verb] => [
      words,
      {
        ...verb,
        run: (runner, command) => {
          const action = verb.run(runner, command) as (...given: unknown[]) => Promise<void>;
          return async (...given: unknown[]) =>
            action(...(await Promise.all(given.map((one) => resolveIn(one, runner)))));
        },
      },
    ]),
  );
}

/** An argument, or the options. */
async function resolveIn(given: unknown, runner: VerbRunner): Promise<unknown> {
  if (given instanceof AccountEmail) return findAccountId(given, runner);
  if (typeof given !== 'object' || given === null) return given;
  const named = Object.entries(given).filter(([, value]) => value instanceof AccountEmail);
  if (named.length === 0) return given;
  const found = await Promise.all(
    named.map(async ([name, value]) => [name, await findAccountId(value as AccountEmail, runner)] as const),
  );
  return { ...given, ...Object.fromEntries(found) };
}

/** Throws `NotFoundFailure` if there is no such account. */
async function findAccountId({ email }: AccountEmail, runner: VerbRunner): Promise<string> {
  const found = await runner.find((_pool, accounts) => findAccountByEmail(accounts, email));
  if (!found) throw new NotFoundFailure(`There is no account with the e-mail address ${email}.`);
  return found.accountId;
}
