import { startFaultProxy, type FaultProxy } from '@farebox/testing';
import type { GatewayConfig } from '../../src/config';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import { faultCatalog } from './fault-catalog';

/** A gateway behind a proxy for its clients. */
export interface ClientFaultHarness extends GatewayHarness {
  proxy: FaultProxy;
  /** The gateway's URL through the proxy. */
  proxyUrl: string;
}

export async function startClientFaultHarness(
  changed: Partial<GatewayConfig> = {},
): Promise<ClientFaultHarness> {
  const harness = await startGatewayHarness(changed, {
    catalog: (url) => faultCatalog({ simulated: url, patient: url, own: url }),
  });
  const proxy = await startFaultProxy(Number(new URL(harness.url).port));
  return {
    ...harness,
    proxy,
    proxyUrl: new URL(proxy.through(harness.url)).origin,
    async close() {
      await proxy.close();
      await harness.close();
    },
  };
}
