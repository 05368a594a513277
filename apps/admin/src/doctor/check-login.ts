import type { Pool } from 'pg';
import { fail, ok, warn, type Finding } from './finding';

/** Rights of a login in the database. */
export interface Login {
  name: string;
  /** May do everything. */
  isSuperuser: boolean;
  /** May write the audit log, and so is the owner's. */
  isOwner: boolean;
  /** Groups of services that it belongs to, itself or by another group. */
  groups: readonly ServiceGroup[];
}

export type ServiceGroup = 'farebox_app' | 'farebox_account' | 'farebox_worker';

const GROUPS: readonly ServiceGroup[] = ['farebox_app', 'farebox_account', 'farebox_worker'];

/** Asks by a connection of the login's own. */
export async function readLogin(pool: Pool): Promise<Login> {
  const { rows } = await pool.query<Omit<Login, 'groups'> & { groups: ServiceGroup[] }>(
    `SELECT current_user AS name, r.rolsuper AS "isSuperuser",
            coalesce((SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class
                      WHERE oid = to_regclass('public.account')), false) AS "isOwner",
            ARRAY(SELECT g FROM unnest($1::text[]) g JOIN pg_roles ON rolname = g
                  WHERE pg_has_role(current_user, g, 'USAGE')) AS groups
     FROM pg_roles r WHERE r.rolname = current_user`,
    [GROUPS],
  );
  const [login] = rows;
  if (!login) throw new Error('PostgreSQL answered no row');
  return login;
}

const DOCUMENTED = 'See "Who may do what in the database" in docs/ARCHITECTURE.md.';

/** The login of `DATABASE_URL`. With that of the owner the admin command works; that of a service is no mistake either. */
export function checkOwnLogin(login: Login): Finding {
  const check = 'login of DATABASE_URL';
  if (login.isSuperuser || login.isOwner) {
    return ok(check, `${login.name} owns the tables: for operators and migrations, never for a service.`);
  }
  const groups = login.groups.join(', ');
  return login.groups.length > 0
    ? warn(
        check,
        `${login.name} belongs to ${groups}: a service's login.`,
        'The admin command needs the owner.',
      )
    : fail(
        check,
        `${login.name} belongs to none of ${GROUPS.join(', ')}.`,
        `GRANT one of them. ${DOCUMENTED}`,
      );
}

/** The login that a service is to have: that of its group, and no more. */
export function checkServiceLogin(variable: string, wanted: ServiceGroup, login: Login): Finding {
  const check = `login of ${variable}`;
  if (login.isSuperuser || login.isOwner) {
    return fail(
      check,
      `${login.name} owns the tables: who takes the service over can make money.`,
      `Give the service a login of ${wanted}. ${DOCUMENTED}`,
    );
  }
  const more = login.groups.filter((group) => group !== wanted);
  if (!login.groups.includes(wanted)) {
    return fail(check, `${login.name} does not belong to ${wanted}.`, `GRANT ${wanted} TO ${login.name}.`);
  }
  return more.length > 0
    ? warn(check, `${login.name} belongs to ${more.join(', ')} as well.`, `REVOKE what is not ${wanted}.`)
    : ok(check, `${login.name} belongs to ${wanted}.`);
}
