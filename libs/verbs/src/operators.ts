import { toListPage, toUnixSeconds } from '@farebox/api';
import { toPublicId } from '@farebox/auth';
import {
  createManagementKey,
  createOperatorLink,
  findOperator,
  isOperatorRole,
  listManagementKeys,
  listOperators,
  OPERATOR_ROLES,
  putOperator,
  removeOperator,
  toOperatorLinkUrl,
  revokeManagementKey,
  type ManagementKey,
  type Operator,
  type OperatorRole,
} from '@farebox/operators';
import { InvalidArgumentError, Option } from 'commander';
import { readDays, readEmail, readManagementKeyId, readName } from './arguments';
import { readOperatorUrl } from './environment';
import { type CommandFailure, NotFoundFailure } from './failures';
import {
  addPageOptions,
  givenLimit,
  nextCommand,
  toListReport,
  toTable,
  type GivenPage,
  toIso,
} from './lists';
import { VERB_RIGHTS } from './rights';
import type { Verbs } from './verb';

export const operatorCommands: Verbs = {
  'operator list': {
    help: 'list the people who may sign in to the operator service, with their roles',
    examples: ['admin operator list'],
    run:
      ({ read }) =>
      () =>
        read(async (pool) => {
          const data = (await listOperators(pool)).map(toReport);
          const text =
            data.length === 0
              ? 'There are no operators. Add the first with the role owner.'
              : toTable(
                  [{ name: 'e-mail' }, { name: 'role' }, { name: 'since' }],
                  data.map((one) => [one.email, one.role, toIso(one.created_at)]),
                );
          return { json: { object: 'list', data }, text };
        }),
  },
  'operator add': {
    help: 'let a person sign in to the operator service, or change their role',
    takes: (command) =>
      command
        .argument('<email>', 'their e-mail address', readEmail)
        .addOption(roleOption('viewer reads, support helps customers, finance moves money, owner does all')),
    examples: ['admin operator add grace@example.com --role finance'],
    run:
      ({ change }) =>
      (email: string, { role }: { role: OperatorRole }) =>
        change(async ({ client, record }) => {
          const { operator, before } = await putOperator(client, { email, role });
          const json = toReport(operator);
          if (before?.role === role)
            return { json, text: `${email} has the role ${role} already.`, unchanged: true };
          await record(json.operator_id, { email, role, ...(before && { role_before: before.role }) });
          return { json, text: `${email} has the role ${role} now.` };
        }),
  },
  'operator remove': {
    help: 'end the access of a person to the operator service, and their sessions, at once',
    takes: (command) => command.argument('<email>', 'their e-mail address', readEmail),
    examples: ['admin operator remove grace@example.com'],
    run:
      ({ change }) =>
      (email: string) =>
        change(async ({ client, record }) => {
          const removed = await removeOperator(client, email);
          if (!removed) throw noSuchOperator(email);
          const json = { ...toReport(removed), removed: true };
          await record(json.operator_id, { email, role: removed.role });
          return { json, text: `${email} has no access any more.` };
        }),
  },
  'operator link': {
    help: 'create a link with which an operator signs in once, within 15 minutes: for the first of them, or without mail',
    takes: (command) => command.argument('<email>', 'their e-mail address', readEmail),
    examples: ['admin operator link ada@example.com'],
    run:
      ({ change, environment }) =>
      async (email: string) => {
        const url = readOperatorUrl(environment);
        await change(async ({ client, record }) => {
          const operator = await findOperator(client, email);
          if (!operator) throw noSuchOperator(email);
          const { token, expiresAt } = await createOperatorLink(client, operator.id);
          const { operator_id } = toReport(operator);
          await record(operator_id, { email });
          const json = {
            operator_id,
            link: toOperatorLinkUrl(url, token),
            expires_at: toUnixSeconds(expiresAt),
          };
          return { json, text: json.link };
        });
      },
  },
  'management-key list': {
    help: "list the keys of the operator's API, newest first, including revoked ones",
    takes: (command) =>
      addPageOptions(command, {
        of: 'key',
        description: 'continue after this one, mkey_…',
        read: readManagementKeyId,
      }),
    examples: ['admin management-key list'],
    run:
      ({ read }) =>
      ({ limit, after }: GivenPage) =>
        read(async (pool) => {
          const keys = await listManagementKeys(pool, { limit: limit + 1, afterId: after });
          const page = toListPage(keys.map(toKeyReport), limit, (report) => report.management_key_id);
          return toListReport(page, {
            columns: ['key', 'status', 'ends in', 'role', 'only', 'by', 'expires', 'name'].map((name) => ({
              name,
            })),
            toRow: (one) => [
              ...[one.management_key_id, one.status, one.hint, one.role, one.scopes?.join(', ') ?? ''],
              ...[one.created_by, toIso(one.expires_at), one.name],
            ],
            none: 'There are no management keys.',
            next: (lastId) => nextCommand('management-key list', { limit: givenLimit(limit) }, lastId),
          });
        }),
  },
  'management-key create': {
    help: "create a key of the operator's API and show its secret, once",
    takes: (command) =>
      command
        .requiredOption('--name <name>', 'what it is for', readName)
        .addOption(roleOption('the most that it may do'))
        .option(
          '--only <verbs...>',
          'only these verbs, like "account show", or groups of them, like report',
          readScope,
        )
        .option('--days <days>', 'days until it expires, up to 366', readDays, 90),
    examples: [
      'admin management-key create --name backoffice --role support',
      'admin management-key create --name dashboard --role viewer --only report status --days 30',
    ],
    run:
      ({ change }) =>
      ({ name, role, only, days }: { name: string; role: OperatorRole; only?: string[]; days: number }) =>
        change(async ({ client, operator, record }) => {
          const { key, secret } = await createManagementKey(client, {
            ...{ name, role, createdBy: operator, scopes: only ?? null },
            expiresAt: new Date(Date.now() + days * DAY_MS),
          });
          const { management_key_id, expires_at } = toKeyReport(key);
          await record(management_key_id, { name, role, scopes: only?.join(', ') ?? null, expires_at });
          return {
            json: { key: secret, ...toKeyReport(key) },
            text: `${secret}\nIt is shown only now. It may do what the role ${role} may${only ? `, but only: ${only.join(', ')}` : ''}.`,
          };
        }),
  },
  'management-key revoke': {
    help: "revoke a key of the operator's API for good, at once",
    takes: (command) => command.argument('<key>', 'mkey_…', readManagementKeyId),
    examples: ['admin management-key revoke mkey_01jd0000000000000000000000'],
    run:
      ({ change }) =>
      (id: string) =>
        change(async ({ client, record }) => {
          const publicId = toPublicId('mkey', id);
          const revoked = await revokeManagementKey(client, id);
          if (!revoked) throw new NotFoundFailure(`There is no management key ${publicId}.`);
          const json = toKeyReport(revoked.key);
          if (!revoked.wasLive)
            return { json, text: `The management key ${publicId} was revoked before.`, unchanged: true };
          await record(publicId, { name: revoked.key.name });
          return { json, text: `The management key ${publicId} is revoked.` };
        }),
  },
};

const DAY_MS = 86_400_000;

function roleOption(description: string): Option {
  return new Option('--role <role>', description)
    .choices(OPERATOR_ROLES)
    .makeOptionMandatory()
    .argParser(readRole);
}

function readRole(text: string): OperatorRole {
  if (!isOperatorRole(text))
    throw new InvalidArgumentError(`It must be one of ${OPERATOR_ROLES.join(', ')}.`);
  return text;
}

/** A verb or a group of them, after those before it. */
function readScope(text: string, before: readonly string[] = []): readonly string[] {
  const words = text.trim().replaceAll(/\s+/g, ' ');
  const isKnown = Object.keys(VERB_RIGHTS).some((verb) => verb === words || verb.startsWith(`${words} `));
  if (!isKnown) throw new InvalidArgumentError(`"${words}" is neither a verb nor a group of them.`);
  return [...before, words];
}

function toReport({ id, email, role, createdAt }: Operator) {
  return { operator_id: toPublicId('oper', id), email, role, created_at: toUnixSeconds(createdAt) };
}

function toKeyReport({ id, name, hint, role, scopes, createdBy, ...key }: ManagementKey) {
  const isExpired = key.expiresAt.getTime() <= Date.now();
  return {
    management_key_id: toPublicId('mkey', id),
    ...{ name, hint, role, scopes },
    status: key.revokedAt !== null ? 'revoked' : isExpired ? 'expired' : 'active',
    created_by: createdBy,
    created_at: toUnixSeconds(key.createdAt),
    expires_at: toUnixSeconds(key.expiresAt),
    revoked_at: key.revokedAt && toUnixSeconds(key.revokedAt),
  };
}

function noSuchOperator(email: string): CommandFailure {
  return new NotFoundFailure(`There is no operator ${email}.`);
}
