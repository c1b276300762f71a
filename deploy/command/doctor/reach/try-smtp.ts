import { createTransport } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';

const TIMEOUT_MS = 8000;
const TIMEOUTS = {
  connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS,
  dnsTimeout: TIMEOUT_MS,
};

export interface SmtpRefusal {
  step: 'connect' | 'tls' | 'login' | 'sender' | 'recipient';
  /** SMTP code; null if the server did not respond. */
  code: number | null;
  text: string;
}

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  response?: string;
}

/** The parts of the connection with which it sends the commands before DATA. */
interface Commands {
  _responseActions: ((response: string) => void)[];
  _sendCommand(command: string): void;
}

/**
 * Begins to send an email from and to the address, and stops before its content. Null if the server accepts
 * both.
 */
export async function trySmtp(url: string, address: string): Promise<SmtpRefusal | null> {
  // It parses the address as it does for sending.
  const { options } = createTransport({ url }).transporter as unknown as { options: Record<string, unknown> };
  const connection = new SMTPConnection({
    ...options, ...TIMEOUTS,
  });
  let step: SmtpRefusal['step'] = 'connect';
  const broken = new Promise<never>((_, reject) => connection.on('error', reject));
  const command = (text: string) => new Promise<string>((resolve) => {
    const { _responseActions: actions } = connection as unknown as Commands;
    actions.push(resolve);
    (connection as unknown as Commands)._sendCommand(text);
  });
  const converse = async (): Promise<SmtpRefusal | null> => {
    await settled((done) => connection.connect(done));
    const auth = options['auth'] as { user: string; pass: string } | undefined;
    if (auth) {
      step = 'login';
      const credentials = { user: auth.user, credentials: auth };
      await settled((done) => connection.login(credentials, done));
    }
    for (const [name, text] of [['sender', `MAIL FROM:<${address}>`], ['recipient', `RCPT TO:<${address}>`]] as const) {
      step = name;
      const response = await command(text);
      const code = Number(response.slice(0, 3));
      if (code >= 300) return { step, code, text: oneLine(response) };
    }
    return null;
  };
  try {
    const refusal = await Promise.race([converse(), broken]);
    connection.quit();
    return refusal;
  } catch (error) {
    connection.close();
    const { code, responseCode, response, message } = error as SmtpError;
    const isTls = code === 'ETLS' || /certificate|SSL|TLS/i.test(message);
    const failedAt = isTls ? 'tls' : responseCode === undefined ? 'connect' : step;
    return { step: failedAt, code: responseCode ?? null, text: oneLine(response ?? message) };
  }
}

function settled(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200);
}
