export interface ReadMail {
  /** By lower-case name, unfolded and decoded. Values of a repeated name are joined by line breaks. */
  headers: Record<string, string>;
  text: string;
  html: string;
  /** The whole mail, unmodified. */
  raw: string;
}

/** Parses a mail with two alternatives from its bytes in latin1. */
export function readMail(raw: string): ReadMail {
  const { headers, body } = split(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1];
  const parts = boundary === undefined
    ? [{ headers, body }]
    : body.split(`--${boundary}`).slice(1, -1).map((part) => split(part.replace(/^\r?\n/, '')));
  const partOf = (type: string) =>
    parts.filter((part) => part.headers['content-type']?.startsWith(type)).map(decode)[0] ?? '';
  return { headers, text: partOf('text/plain'), html: partOf('text/html'), raw };
}

/** The first link in a mail's text whose path starts with `path`, apart from TEST_BASE_PATH. */
export function linkIn(mail: { text: string }, path: string): URL {
  const start = `${process.env['TEST_BASE_PATH'] ?? ''}${path}`;
  const link = mail.text.match(/https?:\/\/\S+/g)?.find((found) => new URL(found).pathname.startsWith(start));
  if (link === undefined) throw new Error(`no link to ${path} in: ${mail.text}`);
  return new URL(link);
}

function split(raw: string): { headers: Record<string, string>; body: string } {
  const [head = '', ...rest] = raw.split(/\r?\n\r?\n/);
  const headers: Record<string, string> = {};
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const at = line.indexOf(':');
    const [name, value] = [line.slice(0, at).toLowerCase(), decodeHeader(line.slice(at + 1).trim())];
    headers[name] = headers[name] === undefined ? value : `${headers[name]}\n${value}`;
  }
  return { headers, body: rest.join('\r\n\r\n') };
}

function decode(part: { headers: Record<string, string>; body: string }): string {
  const encoding = part.headers['content-transfer-encoding'] ?? '7bit';
  const bytes = encoding === 'base64'
    ? Buffer.from(part.body, 'base64')
    : Buffer.from(encoding === 'quoted-printable' ? unquote(part.body) : part.body, 'latin1');
  return bytes.toString('utf8').replaceAll('\r\n', '\n').trim();
}

function unquote(text: string): string {
  return text.replace(/=\r?\n/g, '').replace(
    /=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** RFC 2047. */
function decodeHeader(text: string): string {
  const joined = text.replace(/\?=\s+=\?/g, '?==?');
  return joined.replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, encoded: string) =>
    (kind.toLowerCase() === 'b'
      ? Buffer.from(encoded, 'base64')
      : Buffer.from(unquote(encoded.replaceAll('_', ' ')), 'latin1')).toString('utf8'));
}
