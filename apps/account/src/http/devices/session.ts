import { toUnixSeconds, type DeviceSession } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import { toPublicId } from '@farebox/ids';
import type { Pool } from 'pg';
import { startDeviceSession } from '../../use-cases/devices/start-device-session';
import type { Endpoint } from '../endpoint';
import { readDeviceId } from './device-wire';

/** `POST /v1/devices/{device_id}/session`: 201 with a session of the device, shown once. */
export function sessionEndpoint(clients: { pool: Pool; prisma: PrismaClient }): Endpoint {
  return {
    method: 'POST',
    path: '/v1/devices/:device_id/session',
    body: 'none',
    async handle({ accountId, deviceId: callerId, params }) {
      const deviceId = readDeviceId(params);
      const { token, expiresAt } = await startDeviceSession(
        accountId,
        clients,
        { deviceId: callerId },
        deviceId,
      );
      const body: DeviceSession = {
        object: 'device_session',
        device_id: toPublicId('dev', deviceId),
        session_token: token,
        expires_at: toUnixSeconds(expiresAt),
      };
      return { status: 201, body };
    },
  };
}
