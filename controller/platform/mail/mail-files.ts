import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { newId } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { readablePart } from './mail-part.ts';
import type { MailTransport } from './mail-transport.ts';
import type { Mail, MailOutcome } from './mailer-port.ts';

/** Files that are kept; the oldest make room. */
const MOST_FILES = 1000;

/** Without a provider, mail becomes files that an operator can read; their names sort by time. */
export class FileTransport implements MailTransport {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #composer: ReturnType<typeof compose>;

  constructor(options: { folder: string; from: string; clock: Clock; log: Log }) {
    this.#folder = options.folder;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#composer = compose(options.from);
  }

  async deliver(mail: Mail): Promise<MailOutcome> {
    const [text, html] = [readablePart('text/plain', mail.text, '8bit'), readablePart('text/html', mail.html, '8bit')];
    const composed = await this.#composer.sendMail({ ...mail, text, html });
    const file = join(this.#folder, `${newId(this.#clock.now())}.eml`);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(`${file}.part`, composed.message as Buffer, { mode: 0o600 });
    await rename(`${file}.part`, file);
    this.#log.info({ to: mail.to, subject: mail.subject, file }, 'mail written to a file, since no mail provider is set');
    await this.#removeOldest();
    return { kind: 'sent' };
  }

  async close(): Promise<void> {
    // Every file is whole when its send has ended.
  }

  async #removeOldest(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.eml')).sort();
    await Promise.all(names.slice(0, -MOST_FILES).map((name) => rm(join(this.#folder, name), { force: true })));
  }
}

function compose(from: string) {
  return createTransport({ streamTransport: true, buffer: true, newline: 'windows' }, { from });
}
