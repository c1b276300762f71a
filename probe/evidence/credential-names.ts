/** What a name contains, without regard to case, whose value is a credential. `author` has no `i` there. */
const PARTS = new RegExp([
  'auth(?!or(?!i))', 'token', 'secret', 'passw', 'passphrase', 'passcode', 'apikey', 'accesskey', 'privatekey',
  'session', 'signature', 'credential', 'cookie', 'jwt', 'csrf', 'xsrf', 'bearer',
  // As words only: they stand within too many others.
  '(?:^|[-_.])(?:key|pass|pwd|pw|sid|sig|pin|otp)(?:$|[-_.])',
].join('|'), 'i');
/** The same words in `apiKey` and `userPin`. */
const CAMEL_CASE_PART = /[a-z\d](?:Key|Pass|Pwd|Pw|Sid|Sig|Pin|Otp)(?![a-z])/;
/** A longer name is text. */
const MAX_NAME_LENGTH = 100;

/**
 * Whether what has this name - a header, a parameter, a field of a form or of JSON - is by its name a
 * credential: `Set-Cookie`, `X-Api-Key`, `accessToken`, `user_password`, `sid`.
 */
export function isCredentialName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && (PARTS.test(name) || CAMEL_CASE_PART.test(name));
}
