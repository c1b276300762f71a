import type { Mail } from './mailer-port.ts';

/** Plain ASCII in lines that SMTP allows, which needs no encoding. */
export function isSendableAsIs({ text, html }: Mail): boolean {
  return [text, html].every(
    (part) => /^[\t\r\n\x20-\x7e]*$/.test(part) && part.split(/\r?\n/).every((line) => line.length <= 900),
  );
}

/**
 * Both parts of a mail unencoded. nodemailer would break lines above 76 characters; this keeps links whole
 * for readers of the source. `8bit` is for files, `7bit` for SMTP if `isSendableAsIs`.
 */
export function readableParts({ text, html }: Mail, encoding: '7bit' | '8bit') {
  const part = (type: string, content: string) => {
    const head = `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
    return { raw: head + content.replace(/\r?\n/g, '\r\n') };
  };
  return { text: part('text/plain', text), html: part('text/html', html) };
}
