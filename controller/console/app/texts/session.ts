import { catalogue } from './catalogue.ts';

const english = {
  ended: 'Your session has ended', endedLong: 'Sign in to go on. Nothing that you have entered is lost.', somebodyElse: 'Use another account',
  signIn: 'Sign in', email: 'E-mail address', password: 'Password', language: 'Language', otherWays: 'Other ways',
  forgotten: 'Forgot your password?', signUp: 'Create an account', haveAccount: 'You have an account? Sign in',
  byInvitation: 'New people join by invitation.',
  closed: 'Registration is closed here. Ask an administrator to invite you; the mail leads you on.',
  first: 'Welcome to Farwatch', createOperator: 'Create the operator',
  firstLong: 'Nobody has an account here yet. Yours is the first, and makes you the operator of this installation.',
  name: 'Your name', passwordHint: 'At least 10 characters.', organization: 'Name of your organization',
  organizationHint: 'You can change it later.',
  newPassword: 'Choose a new password', forgottenHint: 'We mail you a link. It is valid for one hour.',
  sendLink: 'Send the link', backToSignIn: 'Back to signing in',
  resetSent: (email: string) => `If ${email} has an account, a mail is on its way. Also look among the spam.`,
  verify: 'Verify your e-mail address',
  verifyLong: (email: string) => `We have mailed a link to ${email}. Open it, and come back here.`,
  verifyHint: 'It is valid for 24 hours. Until then nothing else can be used.',
  haveVerified: 'I have verified it', sendAgain: 'Send the mail again', sentAgain: 'The mail is on its way.',
  notKept: 'The password is right, but your browser was not given a session to keep. The proxy in front of Farwatch has to pass on the Host header, or BASE_URL has to be the address of this page.',
  stillUnverified: 'The address is not verified yet.', signOut: 'Sign out',
  invitation: 'Your invitation', join: (organization: string) => `Join ${organization}`, accept: 'Accept the invitation',
  invitedAs: (email: string) => `You are invited as ${email}.`, knownPasswordHint: 'That of the account that this address has here.',
  signedInAs: (email: string) => `You are signed in here as ${email}. Accepting signs you in with the invited address instead.`,
  deadInvitation: 'This invitation is not valid any more', toConsole: 'Go to Farwatch',
  deadInvitationLong: 'It was accepted or withdrawn, has expired, or its link is incomplete. Ask whoever invited you for another one.',
};

export const sessionTexts = catalogue(english, { de: () => import('./de/session.ts') });
export type SessionTexts = typeof english;
