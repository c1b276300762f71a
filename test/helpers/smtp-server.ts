import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { readMail, type ReadMail } from './read-mail.ts';
import { until } from './until.ts';

export interface ReceivedMail extends ReadMail {
  /** Of the envelope. */
  from: string;
  to: string[];
  /** The authenticated user; null for none. */
  user: string | null;
}

export type SmtpBehaviour = 'accept' | 'hang' | { code: number; text: string; at: 'rcpt' | 'data'; to?: string };

export interface TestSmtpServer {
  url: string;
  mails: ReceivedMail[];
  behave(next: SmtpBehaviour): Promise<void>;
  /** Kills the process immediately, as a crash would. */
  stop(): Promise<void>;
}

type Message = { port: number } | { behaves: true } | { mail: { from: string; to: string[]; user: string | null; raw: string } };

/** A real SMTP server in a separate process that records mails. */
export async function startSmtpServer(): Promise<TestSmtpServer> {
  const child = fork(resolve(import.meta.dirname, 'smtp-process.mjs'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const mails: ReceivedMail[] = [];
  let port = 0;
  let acknowledged = 0;
  child.on('message', (message: Message) => {
    if ('port' in message) port = message.port;
    else if ('behaves' in message) acknowledged += 1;
    else mails.push({ ...message.mail, ...readMail(message.mail.raw) });
  });
  await until(() => port > 0, { what: 'the SMTP server listens' });
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    async behave(next) {
      const before = acknowledged;
      child.send(next);
      await until(() => acknowledged > before, { what: 'the SMTP server has changed its behaviour' });
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}
