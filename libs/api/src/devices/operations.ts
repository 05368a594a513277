import { DAY, DEVICE_ID, NOON, onlyPage, SESSION_TOKEN } from '../examples';
import { json, type Operation } from '../operation';
import { TOO_MANY_CHANGES } from '../api-keys/operations';
import {
  deviceList,
  deviceRecord,
  deviceSession,
  listDevicesQuery,
  registerDeviceBody,
  renameDeviceBody,
} from './schema';

const ofSession = { services: ['account'], tag: 'Devices', credential: 'session' } as const;

const device = {
  object: 'device',
  device_id: DEVICE_ID,
  name: 'laptop',
  platform: 'linux-x64',
  status: 'active',
  created_at: NOON,
  last_seen_at: NOON + 60,
  session_expires_at: NOON + 30 * DAY,
  revoked_at: null,
};
const newDevice = { ...device, last_seen_at: null, session_expires_at: null };
const revokedDevice = { ...device, status: 'revoked', session_expires_at: null, revoked_at: NOON + DAY };

const NOT_FOUND = {
  code: 'invalid_request_error',
  status: 404,
  param: 'device_id',
  when: 'There is no such device on the account. A device of another account gets the same response.',
} as const;
const REVOKED = {
  code: 'invalid_request_error',
  param: 'device_id',
  when: 'The request is not valid, or the device is revoked.',
} as const;
const PERSON_ONLY = {
  code: 'authentication_error',
  when: 'No session, or the session of a device: it cannot manage other devices than its own.',
} as const;

const record = (example: object) => [json(deviceRecord, { device: example })];

const listDevices = {
  ...ofSession,
  id: 'listDevices',
  method: 'GET',
  path: '/v1/devices',
  summary: 'List the devices',
  description: 'Revoked ones too.',
  query: listDevicesQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the devices.',
      contents: [json(deviceList, { one: onlyPage([device], (row) => row.device_id) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'limit' }],
} satisfies Operation;

const getDevice = {
  ...ofSession,
  id: 'getDevice',
  method: 'GET',
  path: '/v1/devices/{device_id}',
  summary: 'Get a device',
  answers: [{ status: 200, description: 'The record.', contents: record(device) }],
  errors: [NOT_FOUND],
} satisfies Operation;

const registerDevice = {
  ...ofSession,
  id: 'registerDevice',
  method: 'POST',
  path: '/v1/devices/register',
  summary: 'Register a device',
  description: 'A device is a machine of the account. It has no session yet.',
  body: {
    schema: registerDeviceBody,
    isRequired: true,
    examples: { laptop: { name: 'laptop', platform: 'linux-x64' } },
  },
  answers: [{ status: 201, description: 'The record.', contents: record(newDevice) }],
  errors: [
    {
      code: 'invalid_request_error',
      param: 'name',
      when: 'A field is not valid, or the account has the maximum number of devices.',
    },
    PERSON_ONLY,
    { code: 'rate_limit_error', when: 'The account has reached its limit of new devices in 24 hours.' },
  ],
} satisfies Operation;

const startDeviceSession = {
  ...ofSession,
  id: 'startDeviceSession',
  method: 'POST',
  path: '/v1/devices/{device_id}/session',
  summary: 'Give a device a session',
  description: 'Only this response has the token. The new session replaces the one that the device had.',
  answers: [
    {
      status: 201,
      description: 'The session.',
      contents: [
        json(deviceSession, {
          session: {
            object: 'device_session',
            device_id: DEVICE_ID,
            session_token: SESSION_TOKEN,
            expires_at: NOON + 30 * DAY,
          },
        }),
      ],
    },
  ],
  errors: [REVOKED, PERSON_ONLY, NOT_FOUND, TOO_MANY_CHANGES],
} satisfies Operation;

const sendDeviceHeartbeat = {
  ...ofSession,
  id: 'sendDeviceHeartbeat',
  method: 'POST',
  path: '/v1/devices/heartbeat',
  summary: 'Say that a device is alive',
  description: 'Called with the session of the device; sets `last_seen_at`.',
  answers: [{ status: 200, description: 'The record.', contents: record(device) }],
  errors: [{ code: 'invalid_request_error', when: 'The session is not bound to a device.' }],
} satisfies Operation;

const renameDevice = {
  ...ofSession,
  id: 'renameDevice',
  method: 'POST',
  path: '/v1/devices/{device_id}/rename',
  summary: 'Rename a device',
  body: { schema: renameDeviceBody, isRequired: true, examples: { desk: { name: 'desk' } } },
  answers: [{ status: 200, description: 'The record.', contents: record({ ...device, name: 'desk' }) }],
  errors: [REVOKED, PERSON_ONLY, NOT_FOUND, TOO_MANY_CHANGES],
} satisfies Operation;

const revokeDevice = {
  ...ofSession,
  id: 'revokeDevice',
  method: 'POST',
  path: '/v1/devices/{device_id}/revoke',
  summary: 'Revoke a device',
  description:
    'Ends the device and its session at once. Revoking it again changes nothing and gets the same response.',
  answers: [{ status: 200, description: 'The revoked record.', contents: record(revokedDevice) }],
  errors: [PERSON_ONLY, NOT_FOUND],
} satisfies Operation;

export const deviceOperations = {
  listDevices,
  getDevice,
  registerDevice,
  startDeviceSession,
  sendDeviceHeartbeat,
  renameDevice,
  revokeDevice,
};
