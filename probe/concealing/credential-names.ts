/** Parts of names, ignoring case, whose value is a credential. `authorization` matches; `author` doesn't. */
const PARTS = new RegExp([
  'auth(?!or(?!i))', 'token', 'secret', 'passw', 'passphrase', 'passcode', 'apikey', 'accesskey', 'privatekey',
  'session', 'signature', 'credential', 'cookie', 'jwt', 'csrf', 'xsrf', 'bearer',
  // Only as whole words, because many other words contain them.
  '(?:^|[-_.])(?:key|pass|pwd|pw|sid|sig|pin|otp)(?:$|[-_.])',
].join('|'), 'i');
/** The same words in camel case, as in `apiKey` and `userPin`. */
const CAMEL_CASE_PART = /[a-z\d](?:Key|Pass|Pwd|Pw|Sid|Sig|Pin|Otp)(?![a-z])/;
/** A longer name is ordinary text. */
const MAX_NAME_LENGTH = 100;

/**
 * Whether a header, parameter, form field or JSON field is a credential by its name: `Set-Cookie`,
 * `X-Api-Key`, `accessToken`, `user_password`, `sid`.
 */
export function isCredentialName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && (PARTS.test(name) || CAMEL_CASE_PART.test(name));
}
