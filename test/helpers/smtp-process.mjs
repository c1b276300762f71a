import { SMTPServer } from 'smtp-server';

/**
 * An SMTP server in a separate process. Sends its parent its port, then every accepted mail. The parent sets its
 * behaviour: 'accept', 'hang', or `{ code, text, at: 'rcpt' | 'data', to? }`, where `to` is the only recipient to
 * reject.
 */
let behaviour = 'accept';
process.on('message', (next) => {
  behaviour = next;
  process.send({ behaves: true });
});
process.on('disconnect', () => process.exit(0));

function refusal(at) {
  if (behaviour.at !== at) return null;
  return Object.assign(new Error(behaviour.text), { responseCode: behaviour.code });
}

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onAuth: (auth, _session, callback) => (auth.password === 'secret'
    ? callback(null, { user: auth.username })
    : callback(new Error('wrong'))),
  onRcptTo: ({ address }, _session, callback) => {
    if (behaviour !== 'hang') callback((behaviour.to ?? address) === address ? refusal('rcpt') : null);
  },
  onData: (stream, session, callback) => {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      const refused = refusal('data');
      if (refused !== null) return callback(refused);
      const { mailFrom, rcptTo } = session.envelope;
      const mail = {
        from: mailFrom.address, to: rcptTo.map((one) => one.address), user: session.user ?? null,
        raw: Buffer.concat(chunks).toString('latin1'),
      };
      process.send({ mail }, () => callback(null, 'taken'));
    });
  },
});
server.on('error', () => {});
server.listen(0, '127.0.0.1', () => process.send({ port: server.server.address().port }));
