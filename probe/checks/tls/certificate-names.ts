import { TLS_LIMITS } from '../../../shared/contracts/result.ts';
import { printable } from '../check.ts';

/** The names of a certificate in a result; `more` counts those omitted. */
export interface CertificateNames {
  names: string[];
  more: number;
}

const WANTED = /^(?:DNS|IP Address)$/;

/**
 * Parses Node's subjectAltName text: `DNS:a.test, IP Address:192.0.2.1, URI:"…"`. Names with ambiguous commas
 * or control characters are JSON strings there. Runs in linear time.
 */
export function namesOf(subjectAltName: string): CertificateNames {
  const names: string[] = [];
  let more = 0;
  for (let at = 0; at < subjectAltName.length;) {
    const colon = subjectAltName.indexOf(':', at);
    if (colon === -1) break;
    const end = endOfName(subjectAltName, colon + 1);
    if (WANTED.test(subjectAltName.slice(at, Math.min(colon, at + 16)))) {
      if (names.length < TLS_LIMITS.names) names.push(nameIn(subjectAltName.slice(colon + 1, end)));
      else more += 1;
    }
    at = end + 2;
  }
  return { names, more };
}

/** The end of the name that starts at `start`: the next comma, or after its closing quote. */
function endOfName(text: string, start: number): number {
  if (text[start] !== '"') {
    const comma = text.indexOf(', ', start);
    return comma === -1 ? text.length : comma;
  }
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function nameIn(text: string): string {
  return printable(unquoted(text)).slice(0, TLS_LIMITS.nameLength);
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
