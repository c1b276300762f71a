import { nextLine, wrong, type Dialogue } from './dialogue.ts';

/** Maximum characters of a version line without its end (RFC 4253, 4.2). */
const MAX_VERSION_LENGTH = 253;

/**
 * The version exchange (RFC 4253, 4.2), including ours so that the server sees a regular client. The server
 * may send other lines first; 1.99 means 2.0 in compatibility mode (5.1).
 */
export function* ssh(version: string): Dialogue {
  let line = yield* nextLine('the version line');
  while (!line.startsWith('SSH-')) line = yield* nextLine('the version line');
  if (!/^SSH-(?:2\.0|1\.99)-[\x20-\x7e]+$/.test(line) || line.length > MAX_VERSION_LENGTH) {
    return yield* wrong('the version line', 'SSH-2.0-…', line);
  }
  return `SSH-2.0-Farwatch_${version.replace(/[^0-9A-Za-z.]/g, '_')}\r\n`;
}
