export {
  createMailer,
  reachMailServer,
  toMailFailure,
  type Mailer,
  type MailFailure,
  type MailMessage,
} from './mailer';
export { writeCredentialMail } from './credential-mail';
export { writeOperatorMail } from './operator-mail';
export { writeTopUpOffMail } from './top-up-mail';
export { writeWebhookDisabledMail } from './webhook-mail';
export { writeInviteMail, writeLowBalanceMail, writeSignInMail, type MailBrand } from './messages';
export {
  askForOperatorMail,
  askForSignInMail,
  type ClaimedMail,
  type CredentialMailKind,
  type DisabledWebhook,
  claimMail,
  endMail,
  holdMail,
  type MailAccount,
  type MailKind,
  type MailOutcome,
  type OutboxBacklog,
  type PostedJob,
  postInviteMail,
  postLowBalanceMails,
  postMailsAgain,
  postToOutbox,
  purgeMails,
  readOutboxBacklog,
  takeFromOutbox,
  type TopUpOffReason,
} from './mail-queue';
