import { deviceRecord, deviceSession, type DeviceRecord } from '@farebox/contracts';
import type { AccountStand, Customer } from './account-stand';
import type { Received, Send } from './http-client';

/** What a customer does with his devices. */
export interface DeviceHolder {
  register: (body?: object) => Promise<DeviceRecord>;
  /** Gives the device a session, and answers with what sends with it. */
  signIn: (deviceId: string) => Promise<DeviceSide>;
  rename: (deviceId: string, name: string) => Promise<Received>;
  revoke: (deviceId: string) => Promise<Received>;
}

/** A device that has a session. */
export interface DeviceSide {
  sessionToken: string;
  expiresAt: number;
  send: Send;
  heartbeat: () => Promise<Received>;
}

export function deviceHolder(stand: AccountStand, { send }: Pick<Customer, 'send'>): DeviceHolder {
  return {
    async register(body = { name: 'laptop', platform: 'linux-x64' }) {
      const answer = await send('POST', '/v1/devices/register', { body });
      expect(answer.status).toBe(201);
      return deviceRecord.parse(answer.json);
    },
    async signIn(deviceId) {
      const answer = await send('POST', `/v1/devices/${deviceId}/session`);
      expect(answer.status).toBe(201);
      const session = deviceSession.parse(answer.json);
      expect(session.device_id).toBe(deviceId);
      const sendAsDevice: Send = (method, path, sent) =>
        stand.send(method, path, { ...sent, headers: { authorization: `Bearer ${session.session_token}` } });
      return {
        sessionToken: session.session_token,
        expiresAt: session.expires_at,
        send: sendAsDevice,
        heartbeat: () => sendAsDevice('POST', '/v1/devices/heartbeat'),
      };
    },
    rename: (deviceId, name) => send('POST', `/v1/devices/${deviceId}/rename`, { body: { name } }),
    revoke: (deviceId) => send('POST', `/v1/devices/${deviceId}/revoke`),
  };
}
