import { startFaultProxy, type FaultProxy } from '@farebox/testing';
import type { GatewayConfig } from '../../src/config';
import { startGatewayStand, type GatewayStand } from '../gateway-harness';
import { faultCatalog } from './fault-catalog';

/** A gateway with a proxy between it and its clients. */
export interface ClientFaultStand extends GatewayStand {
  proxy: FaultProxy;
  /** Of the gateway, through the proxy. */
  proxyUrl: string;
}

export async function startClientFaultStand(changed: Partial<GatewayConfig> = {}): Promise<ClientFaultStand> {
  const stand = await startGatewayStand(changed, {
    catalog: (url) => faultCatalog({ simulated: url, patient: url, own: url }),
  });
  const proxy = await startFaultProxy(Number(new URL(stand.url).port));
  return {
    ...stand,
    proxy,
    proxyUrl: new URL(proxy.through(stand.url)).origin,
    async close() {
      await proxy.close();
      await stand.close();
    },
  };
}
