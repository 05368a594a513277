/** A mail to one person. */
export interface MailMessage {
  /** An address alone, as `emailAddress` of the contracts lets it pass. */
  to: string;
  subject: string;
  /** The same content twice, for who reads plain text and for who reads HTML. */
  text: string;
  html: string;
}
