export { toMailFailure, type MailFailure } from './mail-failure';
export type { MailMessage } from './mail-message';
export { openMemoryOutbox, type MailOutbox, type MailReport, type MemoryOutboxOptions } from './mail-outbox';
export { createMailer, type Mailer, type MailSettings } from './mailer';
export { toHtmlText } from './messages/html-text';
export { writeInviteMail, type InviteMail } from './messages/invite-mail';
export { writeSignInMail } from './messages/sign-in-mail';
