/** Signing in, in the console and on the pages of links. */
export const signIn = {
  'Sign in': 'Anmelden',
  'Sign out': 'Abmelden',
  'Check your mail': 'Sehen Sie in Ihrem Postfach nach',
  'If {address} has an account here, a link and a code are on their way. They work once, for {minutes} minutes.':
    'Falls {address} hier ein Konto hat, sind ein Link und ein Code unterwegs. Sie gelten einmal, {minutes} Minuten lang.',
  'Code from the mail': 'Code aus der E-Mail',
  'Type it only here. The link in the mail signs in the device that opens it.':
    'Geben Sie ihn nur hier ein. Der Link der E-Mail meldet das Gerät an, das ihn öffnet.',
  'Nothing there after a minute? Check your spam folder, or send it again.':
    'Nach einer Minute noch nichts da? Sehen Sie im Spam-Ordner nach, oder senden Sie ihn erneut.',
  'Send it again': 'Erneut senden',
  'Use another address': 'Andere Adresse verwenden',
  'Your session has ended. Sign in again to continue where you were.':
    'Ihre Sitzung ist beendet. Melden Sie sich wieder an, um dort weiterzumachen, wo Sie waren.',
  'Send me a link': 'Link zusenden',
  'No password: you sign in with a link that comes by mail.':
    'Ohne Passwort: Sie melden sich mit einem Link an, der per E-Mail kommt.',
  'Your account has no access at the moment': 'Ihr Konto hat derzeit keinen Zugang',
  'It is suspended, or its invitation has not been accepted yet. Your balance and your API keys are kept.':
    'Es ist gesperrt, oder seine Einladung wurde noch nicht angenommen. Ihr Guthaben und Ihre API-Schlüssel bleiben erhalten.',
  'To get access again, write to {address}.': 'Um wieder Zugang zu erhalten, schreiben Sie an {address}.',
  'To get access again, ask the person who invited you.':
    'Um wieder Zugang zu erhalten, wenden Sie sich an die Person, die Sie eingeladen hat.',

  '{service} is a prepaid API for language models.': '{service} ist eine Prepaid-API für Sprachmodelle.',
  'You sign in as {address}.': 'Sie melden sich als {address} an.',
  'Accept and sign in': 'Annehmen und anmelden',
  'If this is not your address, close this page.':
    'Wenn dies nicht Ihre Adresse ist, schließen Sie diese Seite.',
  'This link cannot be used': 'Dieser Link kann nicht verwendet werden',
  'It was used already, has expired, or is not complete.':
    'Er wurde bereits verwendet, ist abgelaufen oder unvollständig.',
  'You are signed in': 'Sie sind angemeldet',
  'You are not signed in': 'Sie sind nicht angemeldet',
  'This link was used already or has expired, but you are signed in.':
    'Dieser Link wurde bereits verwendet oder ist abgelaufen, aber Sie sind angemeldet.',
  'Open the console': 'Konsole öffnen',
  'Ask for a new link': 'Neuen Link anfordern',
  'Questions? Ask {service}:': 'Fragen? Wenden Sie sich an {service}:',
};
