import { ApiError } from '@farebox/errors';

// Who takes a device over has its session. It must not get him another one, which would outlive the device.

/** Throws `authentication_error` where a device's session asks for what only a person may do. */
export function requirePerson(sessionDeviceId: string | null): void {
  if (sessionDeviceId !== null) throw personRequired();
}

/** Throws `authentication_error` where a device's session asks for another device than its own. */
export function requirePersonOrSelf(sessionDeviceId: string | null, deviceId: string): void {
  if (sessionDeviceId !== null && sessionDeviceId !== deviceId) throw personRequired();
}

/** The device that calls. Throws `invalid_request_error` where the session is no device's. */
export function requireDevice(sessionDeviceId: string | null): string {
  if (sessionDeviceId !== null) return sessionDeviceId;
  throw new ApiError('invalid_request_error', {
    message:
      'This session is not bound to a device. Send the session that POST /v1/devices/{device_id}/session gave.',
  });
}

function personRequired(): ApiError {
  return new ApiError('authentication_error', {
    message:
      'The session of a device cannot manage other devices or sessions than its own. Sign in to do so.',
  });
}
