/**
 * A part of a mail as it stands, where nodemailer would break every line above 76 characters into pieces: a link stays whole
 * for whoever reads the source. `8bit` for any text in a file, `7bit` for what `isSendableAsIs` says may go so by SMTP.
 */
export function readablePart(type: 'text/plain' | 'text/html', content: string, encoding: '7bit' | '8bit'): { raw: string } {
  const head = `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  return { raw: head + content.replace(/\r?\n/g, '\r\n') };
}
