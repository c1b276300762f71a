// A program outside Farwatch that reads raw results, each as often as it has subscribed: it needs much of the
// server until it is stopped. Its argument is a file with an IssuedSubscription.
import { readFileSync } from 'node:fs';
import { Subscriber, type IssuedSubscription } from '../helpers/subscriber.ts';

const TIMES = 500;

const { nc, issued } =
  await Subscriber.connect(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as IssuedSubscription);
const [subject = ''] = issued.subscription.subjects;
for (let at = 0; at < TIMES; at += 1) nc.subscribe(subject, { callback: () => undefined });
await nc.flush();
process.stdout.write('reading\n');
await nc.closed();
