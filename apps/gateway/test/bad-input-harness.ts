import { createHttpServer, DEFAULT_SERVER_LIMITS, listen, type ServerLimits } from '@farebox/http';
import { startGatewayHarness, type GatewayHarness } from './gateway-harness';
import { errorEnvelope, findFaults } from './raw-http/find-faults';
import { headerOf, parseAnswers, type ParsedAnswer } from './raw-http/parse-answers';
import { exchangeRaw, type Ending } from './raw-http/raw-exchange';

export type Customer = Awaited<ReturnType<GatewayHarness['givenKey']>>;

/** One entry of "Bad input" in the list of faults. */
export interface BadInput {
  name: string;
  /** The bytes to send, one per character. */
  text: string | ((customer: Customer) => string | Promise<string>);
  ending?: Ending;
  /** Status, code and, if known, the field at fault. */
  answer: string;
}

export interface BadInputHarness extends GatewayHarness {
  /** Sends, and returns everything received until the connection was closed. */
  say(text: string, ending?: Ending): Promise<ParsedAnswer[]>;
  /** Expects exactly one answer, and no hold, charge or model request. */
  expectRefused(input: BadInput): Promise<ParsedAnswer>;
  /** Number of holds ever placed, including released ones. */
  holdsEver(): Promise<number>;
}

/** A gateway whose database counts holds; `changed`: shorter time limits than in any real gateway. */
export async function startBadInputHarness(changed: Partial<ServerLimits> = {}): Promise<BadInputHarness> {
  const harness = await startGatewayHarness();
  await harness.db.pool.query(COUNT_HOLDS);
  const server = createHttpServer(harness.gateway.app, { ...DEFAULT_SERVER_LIMITS, ...changed });
  const port = await listen(server, { host: '127.0.0.1', port: 0 });

  async function say(text: string, ending: Ending = { kind: 'listens' }): Promise<ParsedAnswer[]> {
    const { answers, cutHead } = parseAnswers(await exchangeRaw({ port, pieces: [text], ending }), []);
    expect(cutHead).toBe('');
    return answers;
  }

  async function holdsEver(): Promise<number> {
    return (await harness.db.pool.query('SELECT 1 FROM hold_ever')).rowCount ?? 0;
  }

  return {
    ...harness,
    say,
    holdsEver,
    async expectRefused({ text, ending, answer }) {
      const customer = await harness.givenKey();
      const [holds, asked] = [await holdsEver(), harness.upstream.requests().length];
      const answers = await say(typeof text === 'string' ? text : await text(customer), ending);
      expect(answers.map((given) => [refusalIn(given), ...findFaults(given, 'POST')])).toEqual([[answer]]);
      expect([await holdsEver(), harness.upstream.requests().length]).toEqual([holds, asked]);
      const sql = `SELECT 1 FROM ledger_entry WHERE account_id = $1 AND kind <> 'top_up'`;
      expect((await harness.db.pool.query(sql, [customer.accountId])).rowCount).toBe(0);
      const [first] = answers;
      if (!first) throw new Error('there is no answer');
      return first;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await harness.close();
    },
  };
}

/** A released hold leaves no other trace. */
const COUNT_HOLDS = `
  CREATE TABLE hold_ever (id uuid);
  CREATE FUNCTION remember_hold() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
    'BEGIN INSERT INTO public.hold_ever VALUES (NEW.id); RETURN NEW; END';
  CREATE TRIGGER remember_hold AFTER INSERT ON hold FOR EACH ROW EXECUTE FUNCTION remember_hold();`;

/** Formats a refusal as `400 invalid_request_error messages[0].role`. */
function refusalIn(answer: ParsedAnswer): string {
  if (answer.status === 200) return '200';
  const { code, param } = errorEnvelope.parse(JSON.parse(answer.body)).error;
  return [String(answer.status), code, ...(param === null ? [] : [param])].join(' ');
}

export function requestIdOf(answer: ParsedAnswer): string {
  return headerOf(answer, 'x-service-request-id') ?? '';
}
