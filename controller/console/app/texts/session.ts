import { catalogue } from './catalogue.ts';

const english = {
  ended: 'Your session has ended', endedText: 'Sign in to continue. Nothing you’ve entered is lost.', switchAccount: 'Use another account',
  signIn: 'Sign in', email: 'Email address', password: 'Password', language: 'Language', alternatives: 'Other options',
  forgotten: 'Forgot your password?', signUp: 'Create an account', haveAccount: 'Already have an account? Sign in',
  byInvitation: 'New accounts are by invitation only.',
  closed: 'Sign-up is closed. Ask an administrator for an invitation, then open the link in the email.',
  first: 'Welcome to Farwatch', createOperator: 'Create operator account',
  firstText: 'Create the first account to become the operator of this installation.',
  name: 'Your name', passwordHint: 'At least 10 characters.', organization: 'Organization name',
  organizationHint: 'You can change it later.',
  newPassword: 'Choose a new password', forgottenHint: 'We’ll email you a link that’s valid for one hour.',
  sendLink: 'Send link', backToSignIn: 'Back to sign in',
  resetSent: (email: string) => `If ${email} has an account, we’ve sent an email. Check your spam folder if you don’t see it.`,
  verify: 'Verify your email address',
  verifyText: (email: string) => `We’ve emailed a link to ${email}. Open it, then come back here.`,
  verifyHint: 'The link is valid for 24 hours. You can’t use Farwatch until your address is verified.',
  haveVerified: 'I’ve verified it', sendAgain: 'Resend email', sentAgain: 'Email sent.',
  sessionNotStored: 'Your password is correct, but your browser didn’t store the session cookie. Make sure the proxy in front of Farwatch passes the Host header, or that BASE_URL matches the address of this page.',
  stillUnverified: 'Your address isn’t verified yet.', signOut: 'Sign out',
  invitation: 'Your invitation', join: (organization: string) => `Join ${organization}`, accept: 'Accept invitation',
  invitedAs: (email: string) => `You’re invited as ${email}.`, existingPasswordHint: 'The password of your existing account with this address.',
  signedInAs: (email: string) => `You’re signed in as ${email}. Accepting signs you in with the invited address instead.`,
  invalidInvitation: 'This invitation is no longer valid', toConsole: 'Go to Farwatch',
  invalidInvitationText: 'It was accepted or withdrawn, it has expired, or its link is incomplete. Ask the person who invited you for a new one.',
};

export const sessionTexts = catalogue(english, { de: () => import('./de/session.ts') });
export type SessionTexts = typeof english;
