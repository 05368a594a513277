import {
  apiKeyRecord,
  apiKeyWithSecret,
  deviceRecord,
  deviceSession,
  type ApiKeyRecord,
  type ApiKeyWithSecret,
  type DeviceRecord,
} from '@farebox/api';
import type { AccountHarness, Customer, Received, Send } from './account-harness';

/** A customer's actions on their keys. Every response is checked against its schema. */
export interface KeyHolder {
  create: (body?: object) => Promise<ApiKeyWithSecret>;
  get: (keyPublicId: string) => Promise<ApiKeyRecord>;
  update: (keyPublicId: string, body: object | undefined) => Promise<Received>;
  rotate: (keyPublicId: string, body?: object) => Promise<Received>;
  revoke: (keyPublicId: string) => Promise<Received>;
}

export function keyHolder({ send }: Customer): KeyHolder {
  return {
    async create(body = { name: 'laptop' }) {
      const answer = await send('POST', '/v1/api-keys', { body });
      expect(answer.status).toBe(201);
      return apiKeyWithSecret.parse(answer.json);
    },
    async get(keyPublicId) {
      const answer = await send('GET', `/v1/api-keys/${keyPublicId}`);
      expect(answer.status).toBe(200);
      return apiKeyRecord.parse(answer.json);
    },
    update: (keyPublicId, body) =>
      send('PATCH', `/v1/api-keys/${keyPublicId}`, body === undefined ? {} : { body }),
    rotate: (keyPublicId, body) =>
      send('POST', `/v1/api-keys/${keyPublicId}/rotate`, body === undefined ? {} : { body }),
    revoke: (keyPublicId) => send('DELETE', `/v1/api-keys/${keyPublicId}`),
  };
}

/** The record as every other answer shows it. */
export function withoutSecret({ key, ...record }: ApiKeyWithSecret): ApiKeyRecord {
  expect(key).toMatch(/^ak-/);
  return record;
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/** A customer's actions on their devices. */
export interface DeviceHolder {
  register: (body?: object) => Promise<DeviceRecord>;
  /** Gives the device a session, and returns a function that sends with it. */
  signIn: (deviceId: string) => Promise<DeviceSide>;
  rename: (deviceId: string, name: string) => Promise<Received>;
  revoke: (deviceId: string) => Promise<Received>;
}

/** A device with a session. */
interface DeviceSide {
  sessionToken: string;
  expiresAt: number;
  send: Send;
  heartbeat: () => Promise<Received>;
}

export function deviceHolder(harness: AccountHarness, { send }: Pick<Customer, 'send'>): DeviceHolder {
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
        harness.send(method, path, {
          ...sent,
          headers: { authorization: `Bearer ${session.session_token}` },
        });
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
