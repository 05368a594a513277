export {
  createMailer,
  reachMailServer,
  toMailFailure,
  type Mailer,
  type MailFailure,
  type MailMessage,
} from './mailer';
export {
  toHtmlText,
  writeInviteMail,
  writeLowBalanceMail,
  writeSignInMail,
  type MailBrand,
} from './messages';
export {
  askForSignInMail,
  claimMail,
  endMail,
  postInviteMail,
  postLowBalanceMails,
  postMailsAgain,
  purgeMails,
  type ClaimedMail,
  type MailAccount,
  type MailKind,
  type MailOutcome,
} from './mail-queue';
export {
  postToOutbox,
  readOutboxBacklog,
  takeFromOutbox,
  type OutboxBacklog,
  type PostedJob,
} from './outbox';
