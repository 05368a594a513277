import type { Operation } from '../operation';
import { API_KEY_OPERATIONS } from './api-keys';
import { BILLING_OPERATIONS } from './billing';
import { CHAT_OPERATIONS } from './chat';
import { DEVICE_OPERATIONS } from './devices';
import { FUNDING_OPERATIONS } from './funding';
import { INVOICE_OPERATIONS } from './invoices';
import { SERVICE_OPERATIONS } from './service';
import { SESSION_OPERATIONS } from './sessions';
import { SIGN_IN_OPERATIONS } from './sign-in';
import { USAGE_OPERATIONS } from './usage';

/** Every operation of both services. */
export const OPERATIONS: readonly Operation[] = [
  ...CHAT_OPERATIONS,
  ...API_KEY_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...BILLING_OPERATIONS,
  ...INVOICE_OPERATIONS,
  ...FUNDING_OPERATIONS,
  ...DEVICE_OPERATIONS,
  ...SIGN_IN_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...SERVICE_OPERATIONS,
];
