/** Every parameter of a path. A value of another form is that of no object: 404. */
export const PATH_PARAMETERS: Readonly<Record<string, { description: string; example: string } | undefined>> =
  {
    key_public_id: {
      description: 'The public id of an API key.',
      example: 'key_01kag0s1wefxh8p2pt9vn4yzrq',
    },
    number: { description: 'The number of an invoice.', example: 'INV-2026-000042' },
    session_id: { description: 'The id of a session.', example: 'sess_01kag0s0ard3h8p2pt9vn4yzrq' },
    token: { description: 'The token of a link.', example: 'si-example' },
    device_id: { description: 'The id of a device.', example: 'dev_01kag0s1wefxh8p2pt9vn4yzrq' },
  };
