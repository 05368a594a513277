export { toMailFailure, type MailFailure } from './mail-failure';
export type { MailMessage } from './mail-message';
export { createMailer, type Mailer, type MailSettings, type Sending } from './mailer';
export { toHtmlText } from './messages/html-text';
export { writeInviteMail, type InviteMail } from './messages/invite-mail';
export { writeLowBalanceMail, type LowBalanceMail } from './messages/low-balance-mail';
export { reachMailServer } from './reach-mail-server';
export { writeSignInMail } from './messages/sign-in-mail';
