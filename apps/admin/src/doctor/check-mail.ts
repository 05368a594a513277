import { ConfigError, loadConfig, toMailConfig, type Environment } from '@farebox/config';
import { reachMailServer, toMailFailure } from '@farebox/mail';
import { fail, ok, type Finding } from './finding';

const CHECK = 'mail server';

/** Connects and signs in, and sends nothing. What is wrong with the variables is for the check of the configuration. */
export async function checkMail(environment: Environment): Promise<Finding[]> {
  let mail: ReturnType<typeof toMailConfig>['mail'];
  try {
    mail = toMailConfig(
      loadConfig('worker', environment, ['FAREBOX_PUBLIC_URL', 'FAREBOX_MAIL_URL', 'FAREBOX_MAIL_FROM'])
        .values,
    ).mail;
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
  if (!mail) return [ok(CHECK, 'FAREBOX_MAIL_URL is not set: no mail is sent.')];
  try {
    await reachMailServer(mail);
    return [ok(CHECK, 'It answers, and lets us in.')];
  } catch (error) {
    const { reason, smtpStatus } = toMailFailure(error);
    const status = smtpStatus === undefined ? '' : ` ${String(smtpStatus)}`;
    return [
      fail(
        CHECK,
        `It cannot be used: ${reason}${status}.`,
        'Check FAREBOX_MAIL_URL: host, port, user and password.',
      ),
    ];
  }
}
