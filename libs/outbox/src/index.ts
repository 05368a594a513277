export {
  claimMail,
  endMail,
  type ClaimedMail,
  type MailAccount,
  type MailKind,
  type MailOutcome,
} from './mails/claim-mail';
export { askForSignInMail, postInviteMail } from './mails/post-mail';
export { forgetMails, postLowBalanceMails, postMailsAgain } from './mails/tend-mails';
export { postToOutbox } from './post-to-outbox';
export { readOutboxBacklog, type OutboxBacklog } from './read-backlog';
export { takeFromOutbox, type PostedJob, type TakenFromOutbox } from './take-from-outbox';
