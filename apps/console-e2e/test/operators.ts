import type { ConsoleStack } from './console-stack';
import type { VisitOptions } from './visit';

export const ROLES = ['viewer', 'support', 'finance', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Somebody who may sign in with this role, and the link with which they do. */
export async function givenOperatorLink({ admin }: ConsoleStack, email: string, role: Role): Promise<string> {
  await admin('operator', 'add', email, '--role', role);
  const { link } = await admin('operator', 'link', email);
  return String(link);
}

/** The browser of an operator who has signed in. */
export async function givenOperator(stack: ConsoleStack, role: Role): Promise<VisitOptions> {
  const link = await givenOperatorLink(stack, `${role}@operator.example.com`, role);
  const response = await fetch(`${stack.operatorUrl}/operator/sessions`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: stack.operatorUrl },
    body: new URLSearchParams({ token: link.split('/').at(-1) ?? '' }),
  });
  const [, value = ''] = /^operator_token=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
  const cookie = {
    ...{ name: 'operator_token', value, domain: new URL(stack.operatorUrl).hostname, path: '/operator' },
    ...({ expires: -1, httpOnly: true, secure: false, sameSite: 'Strict' } as const),
  };
  return { storageState: { cookies: [cookie], origins: [] } };
}
