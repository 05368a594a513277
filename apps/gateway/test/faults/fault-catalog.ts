import { HASTY_UPSTREAM, PATIENT_UPSTREAM, UPSTREAM_SECRET_VARIABLE } from '../gateway-harness';

export interface FaultUpstreams {
  /** Behind a proxy. */
  simulated: string;
  /** The same upstream without the proxy. */
  patient: string;
  /** An upstream with short time-outs, whose answers the test writes. */
  own: string;
}

const SECRET = `api_key_env: ${UPSTREAM_SECRET_VARIABLE}`;

/** More than any connection buffers for a client that does not read. */
export const MOST_OUTPUT_TOKENS = 8_000;

/** Behaviours of the simulated upstream that take too long, or get a fault on the way. */
const HASTY = ['echo', 'paced', 'stalls', 'slow-5000'];

/** Behaviours of the simulated upstream that are faults regardless of time. */
const STEADY = [
  'refuses-429 refuses-500 refuses-503 html garbage closes breaks ends-early error-midstream',
  'no-usage wrong-usage',
].flatMap((names) => names.split(' '));

/** Behaviours combined with a fault of a client or of a store. */
const PATIENT = ['echo', 'slow-60000', 'stalls', 'long'];

/**
 * $1 per million prompt tokens and $2 per million output tokens: 1,000 and 2,000 nano-dollars a token.
 * `<name>` is a model with one route; `<name>-or-next` has another route behind it, answered by `sim-echo`;
 * `steady-paced` is `paced` with enough time; `patient-<name>` has no proxy; `own-<name>` is answered by the
 * test. The servers of `native-<name>` use the Messages wire.
 */
export function faultCatalog({ simulated, patient, own }: FaultUpstreams, ownModels: string[] = []): string {
  const next = '{ upstream: patient, model: sim-echo }';
  const models = [
    ...['', 'native-'].flatMap((of) => [
      ...withNext(HASTY, (name) => [`${of}${name}`, `{ upstream: ${of}hasty, model: sim-${name} }`]),
      ...withNext(STEADY, (name) => [`${of}${name}`, `{ upstream: ${of}sim, model: sim-${name} }`]),
      modelOf(`${of}steady-paced`, `{ upstream: ${of}sim, model: sim-paced }`),
      ...withNext(ownModels, (name) => [`${of}own-${name}`, `{ upstream: ${of}own, model: ${name} }`]),
    ]),
    ...PATIENT.map((name) => modelOf(`patient-${name}`, `{ upstream: patient, model: sim-${name} }`)),
  ];
  return `
upstreams:
  - { id: hasty, base_url: "${simulated}", ${SECRET}, ${HASTY_UPSTREAM} }
  - { id: sim, base_url: "${simulated}", ${SECRET}, ${PATIENT_UPSTREAM} }
  - { id: patient, base_url: "${patient}", ${SECRET}, ${PATIENT_UPSTREAM} }
  - { id: own, base_url: "${own}", ${HASTY_UPSTREAM} }
  - { id: native-hasty, wire: messages, base_url: "${simulated}", ${SECRET}, ${HASTY_UPSTREAM} }
  - { id: native-sim, wire: messages, base_url: "${simulated}", ${SECRET}, ${PATIENT_UPSTREAM} }
  - { id: native-own, wire: messages, base_url: "${own}", ${HASTY_UPSTREAM} }
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
    prompt_overhead: { prompt: 16, message: 8 }
    tokenizer: o200k_base`;
