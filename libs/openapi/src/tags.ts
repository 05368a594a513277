/** The chapters of the document, in their order. */
export const TAGS = [
  { name: 'Chat', description: 'The traffic: models and chat completions, called with an API key.' },
  { name: 'API keys', description: 'Keys for the traffic: made, changed, rotated and revoked.' },
  { name: 'Usage', description: 'What was asked of the models, and what it cost.' },
  { name: 'Billing', description: 'The balance, what it changed by, invoices, and ways to add funds.' },
  { name: 'Devices', description: 'The machines of an account, each with a session of its own.' },
  { name: 'Sign-in', description: 'Sessions of a person: begun by a mailed link, listed and ended.' },
  { name: 'Service', description: 'The service itself: whether it lives, and this document.' },
] as const satisfies readonly { name: string; description: string }[];

export type TagName = (typeof TAGS)[number]['name'];
