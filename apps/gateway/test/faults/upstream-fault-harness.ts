import { startFaultProxy, type FaultProxy } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import { startOwnUpstream } from '../own-upstream';
import { readAnswer, type ClientAnswer } from './client-answer';
import { faultCatalog } from './fault-catalog';
import { ask, type Asked } from './fault-request';
import { outcomeOf, type RequestOutcome } from './request-outcome';
import { OWN_MODELS, answerOwn } from './own-answers';

/** A gateway behind a proxy to its upstream. */
export interface UpstreamFaultHarness extends GatewayHarness {
  proxy: FaultProxy;
  /** Asks as a new customer, and returns everything that a row in the table of faults describes. */
  see(asked: Asked): Promise<{ answer: ClientAnswer } & RequestOutcome>;
}

export async function startUpstreamFaultHarness(): Promise<UpstreamFaultHarness> {
  const own = await startOwnUpstream(answerOwn);
  const proxies: FaultProxy[] = [];
  const harness = await startGatewayHarness(
    {},
    {
      async catalog(upstreamUrl) {
        const proxy = await startFaultProxy(Number(new URL(upstreamUrl).port));
        proxies.push(proxy);
        return faultCatalog(
          { simulated: proxy.through(upstreamUrl), patient: upstreamUrl, own: own.url },
          OWN_MODELS,
        );
      },
    },
  );
  const [proxy] = proxies;
  if (!proxy) throw new Error('the catalogue was not asked for');
  return {
    ...harness,
    proxy,
    async see(asked) {
      const request = await ask(harness, asked);
      const answer = await readAnswer(await request.response, asked.wire);
      return { answer, ...(await outcomeOf(harness, request)) };
    },
    async close() {
      await proxy.heal();
      await harness.close();
      await proxy.close();
      await own.close();
    },
  };
}
