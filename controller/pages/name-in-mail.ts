/**
 * What mail programs recognize links by: a dot before letters (`evil.example`), after `www` and before the
 * last number of an IP address; a colon before a slash (`https://`); the start of a Windows share. Invisible
 * characters in between count too, because some programs ignore them.
 */
const LINK_SIGN = new RegExp([
  /(?<=[^ .])\.(?=\p{Cf}*\p{L})/u, /(?<=www\p{Cf}*)\./u, /(?<=\d\.\d+\.\d+)\.(?=\d)/u,
  /:(?=\p{Cf}*[/\\])/u, /\\(?=\p{Cf}*\\)/u,
].map(({ source }) => source).join('|'), 'giu');

/**
 * A name that a person chose (of a person, organization, page, monitor, ...) as mails show it: people can
 * still read it, but no mail program turns it into a link: `evil[.]example`. For subjects, text and HTML,
 * which must escape it in addition. Names without anything like a link stay as they are.
 */
export function nameInMail(name: string): string {
  return name.replace(LINK_SIGN, '[$&]');
}
