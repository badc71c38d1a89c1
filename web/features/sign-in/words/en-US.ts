export const signIn = {
  title: 'Sign in',
  promise: 'No line is energised by mistake, no alarm is lost, and you can prove both.',
  language: 'Language',
  account: 'Account',
  password: 'Password',
  code: 'Verification code',
  codeImage: 'Picture of four digits; a text version is offered below',
  refresh: 'New code',
  asText: 'I cannot read the picture: ask in words',
  asPicture: 'Back to the picture',
  remember: 'Remember the account name',
  signIn: 'Sign in',
  /** Why the session ended that was open here. */
  why: {
    restored:
      'The data was restored from a backup, which ended all sessions. Accounts and passwords are those of the backup.',
    expired: 'Login expired, please log in again',
  },
  signingIn: 'Signing in…',
  wait_one: 'Try again in {{count}} second',
  wait_other: 'Try again in {{count}} seconds',
  network: 'The server cannot be reached. Check the network and try again.',
  second: {
    text: 'Two-step sign-in: enter the code that your authenticator app shows, or a recovery code.',
    code: 'Code',
    need: 'Enter the six-digit code',
    back: 'Back to the password',
  },
  need: {
    account: 'Enter the account',
    password: 'Enter the password',
    code: 'Enter the four digits',
  },
};
