import { UPSTREAM_SECRET_VARIABLE } from '../gateway.stand';

export interface FaultUpstreams {
  /** Short of time, and behind a proxy. */
  simulated: string;
  /** The same one, on a straight way and with all the time that is needed. */
  patient: string;
  /** Whose answers the test writes. */
  own: string;
}

const SHORT = 'connect_timeout_ms: 500, first_byte_timeout_ms: 1000, idle_timeout_ms: 500';
const LONG = 'connect_timeout_ms: 60000, first_byte_timeout_ms: 60000, idle_timeout_ms: 60000';
const SECRET = `api_key_env: ${UPSTREAM_SECRET_VARIABLE}`;

/** More than any connection keeps for a reader who does not read. */
export const MOST_OUTPUT_TOKENS = 8_000;

/** Behaviours of the simulated upstream that are a fault, or to which a fault is added on the way. */
const SIMULATED = [
  'echo paced refuses-429 refuses-500 refuses-503 html garbage closes breaks ends-early error-midstream stalls',
  'slow-5000 no-usage wrong-usage',
].flatMap((names) => names.split(' '));

/** Behaviours that a client's going or stalling is added to. */
const PATIENT = ['slow-60000', 'stalls', 'long'];

/**
 * One dollar a million prompt tokens and two a million output tokens: 1,000 and 2,000 nano-dollars a token. `<name>` is
 * a model with one route, `<name>-or-next` one with another route behind it, whose answer is `sim-echo`'s;
 * `patient-<name>` waits long for its upstream, and `own-<name>` is answered by the test.
 */
export function faultCatalog({ simulated, patient, own }: FaultUpstreams, ownModels: string[] = []): string {
  const next = '{ upstream: patient, model: sim-echo }';
  const models = [
    ...withNext(SIMULATED, (name) => [name, `{ upstream: sim, model: sim-${name} }`]),
    ...withNext(ownModels, (name) => [`own-${name}`, `{ upstream: own, model: ${name} }`]),
    ...PATIENT.map((name) => modelOf(`patient-${name}`, `{ upstream: patient, model: sim-${name} }`)),
  ];
  return `
upstreams:
  - { id: sim, base_url: "${simulated}", ${SECRET}, ${SHORT} }
  - { id: patient, base_url: "${patient}", ${SECRET}, ${LONG} }
  - { id: own, base_url: "${own}", ${SHORT} }
models:${models.join('')}
`;

  function withNext(names: string[], routeOf: (name: string) => [id: string, route: string]): string[] {
    return names
      .map(routeOf)
      .flatMap(([id, route]) => [modelOf(id, route), modelOf(`${id}-or-next`, `${route}, ${next}`)]);
  }
}

const modelOf = (id: string, routes: string): string => `
  - id: ${id}
    routes: [${routes}]
    input_price: 1
    output_price: 2
    context_window: 100000
    max_output_tokens: ${String(MOST_OUTPUT_TOKENS)}
    default_max_output_tokens: 100
    tokenizer: o200k_base`;
