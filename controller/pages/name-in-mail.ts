/**
 * Text that mail programs turn into links: a dot before letters (`evil.example`), after `www` or before the
 * last number of an IP address, a colon before a slash, a Windows share. Matches across invisible characters,
 * which some programs ignore.
 */
const LINK_SIGN = new RegExp([
  /(?<=[^ .])\.(?=\p{Cf}*\p{L})/u, /(?<=www\p{Cf}*)\./u, /(?<=\d\.\d+\.\d+)\.(?=\d)/u,
  /:(?=\p{Cf}*[/\\])/u, /\\(?=\p{Cf}*\\)/u,
].map(({ source }) => source).join('|'), 'giu');

/**
 * Makes a user-chosen name (of a person, page, monitor, ...) safe for mail: still readable, but never turned
 * into a link, as in `evil[.]example`. HTML must escape it in addition.
 */
export function nameInMail(name: string): string {
  return name.replace(LINK_SIGN, '[$&]');
}
