import type { Upstream } from '@farebox/catalog';
import type { Environment } from '@farebox/config';
import { fail, ok, warn, type Finding } from './finding';

const ANSWER_TIMEOUT_MS = 5_000;

/** Asks each upstream of the catalogue for its models, with its key where this environment has it. Costs nothing. */
export function checkUpstreams(upstreams: Iterable<Upstream>, environment: Environment): Promise<Finding[]> {
  return Promise.all(Array.from(upstreams, (upstream) => checkUpstream(upstream, environment)));
}

async function checkUpstream(
  { id, baseUrl, apiKeyEnv }: Upstream,
  environment: Environment,
): Promise<Finding> {
  const check = `upstream ${id}`;
  const key = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv];
  if (apiKeyEnv !== undefined && !key) {
    return warn(check, `${apiKeyEnv} is not set here.`, 'Run the doctor in the environment of the gateway.');
  }
  try {
    const answer = await fetch(`${baseUrl}/models`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return judgeAnswer(check, answer.status, apiKeyEnv);
  } catch {
    return fail(
      check,
      'It cannot be reached, or did not answer in time.',
      'Check its base_url in the catalogue.',
    );
  }
}

/** Not every server lists its models: any other answer shows that one is there. */
export function judgeAnswer(check: string, status: number, apiKeyEnv: string | undefined): Finding {
  const answered = `It answers ${String(status)} to GET /models`;
  if (status === 401 || status === 403) {
    return fail(
      check,
      `${answered}: it does not take the key.`,
      `Check ${apiKeyEnv ?? 'api_key_env in the catalogue'}.`,
    );
  }
  if (status >= 200 && status < 300) return ok(check, `${answered}.`);
  return warn(check, `${answered}.`, 'Check its base_url in the catalogue, unless it has no list of models.');
}
