import pg from 'pg';
import type { BreakableDatabase } from '../breakable/breakable-database';

/** Something that is wrong with the database until it is ended. */
export interface Trouble {
  end(): Promise<unknown>;
}

const TOO_MANY_CONNECTIONS = '53300';

/** Takes every connection that services can get, those that they have as well. */
export async function occupyConnections({ pool, serviceUrl }: BreakableDatabase): Promise<Trouble> {
  const taken: pg.Client[] = [];
  const takeAll = async (): Promise<void> => {
    for (;;) {
      const client = new pg.Client({ connectionString: serviceUrl, application_name: 'occupier' });
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch (error) {
        if (error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS) return;
        throw error;
      }
      taken.push(client);
    }
  };
  const endOthers = async (): Promise<number> => {
    const { rowCount } = await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name IN ('farebox-gateway', 'farebox-ledger')`,
    );
    return rowCount ?? 0;
  };
  do await takeAll();
  while ((await endOthers()) > 0);
  return { end: () => Promise.all(taken.map((client) => client.end())) };
}

/** Every row that is inserted into a table is refused with an error code: as by a server that cannot do it. */
export async function refuseWrites(
  pool: pg.Pool,
  { table, code, times }: { table: string; code: string; times?: number },
): Promise<Trouble> {
  const name = `refuse_${table}`;
  await pool.query(`
    CREATE SEQUENCE ${name};
    GRANT USAGE ON SEQUENCE ${name} TO PUBLIC;
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('public.${name}') <= ${times === undefined ? '9223372036854775807' : String(times)} THEN
        RAISE EXCEPTION 'refused for a test' USING ERRCODE = '${code}';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER ${name} BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${name}()`);
  return {
    end: () => pool.query(`DROP FUNCTION ${name}() CASCADE; DROP SEQUENCE ${name}`),
  };
}
