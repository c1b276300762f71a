import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { newId } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Deliver } from './mailer.ts';
import { readableParts } from './readable-parts.ts';

/** Above this, deletes the oldest files. */
const MAX_FILES = 1000;

/** Without a provider, writes mail to files that an operator can read. File names sort by time. */
export function fileDelivery(options: { folder: string; from: string; clock: Clock; log: Log }): Deliver {
  const { folder, from, clock, log } = options;
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' }, { from });
  return async (mail) => {
    const composed = await composer.sendMail({ ...mail, ...readableParts(mail, '8bit') });
    const file = join(folder, `${newId(clock.now())}.eml`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${file}.part`, composed.message as Buffer, { mode: 0o600 });
    await rename(`${file}.part`, file);
    const { to, subject } = mail;
    log.info({ to, subject, file }, 'wrote an email to a file because no mail provider is configured');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
    await Promise.all(names.slice(0, -MAX_FILES).map((name) => rm(join(folder, name), { force: true })));
    return { kind: 'sent' };
  };
}
