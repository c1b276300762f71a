import type { Returned } from './packet.ts';

/** What the output of the system's `ping` says. */
export interface PingOutput {
  /** Round-trip times, ms, in the order of the packets; of duplicates the first. */
  rttsMs: number[];
  /** Null when the output was cut off before its summary. */
  sent: number | null;
  /** What a router or the host itself answered in place of a reply. */
  returned: { from: string; why: Returned } | null;
}

const REPLY = /^\d+ bytes from [^\s,]+: (?:icmp_)?seq=(\d{1,6}) .*?time=(\d{1,7}(?:\.\d{1,7})?) ?ms/;
/** `From 10.0.0.1 icmp_seq=1 Time to live exceeded` (iputils), `36 bytes from 10.0.0.1: …` (inetutils). */
const RETURNED = /^(?:From (\S{2,64}) icmp_seq=\d+|\d+ bytes from (\S{2,64}):) ([A-Z].*)$/;
const SENT = /^(\d{1,6}) packets transmitted/;
const MOST_LINES = 200;
const LONGEST_LINE = 256;

/** Reads the output of iputils, busybox and inetutils, and passes over what it does not know. */
export function readPingOutput(text: string): PingOutput {
  const replies = new Map<number, number>();
  const output: PingOutput = { rttsMs: [], sent: null, returned: null };
  for (const whole of text.split('\n', MOST_LINES)) {
    const line = whole.slice(0, LONGEST_LINE);
    const [reply, back, sent] = [REPLY.exec(line), RETURNED.exec(line), SENT.exec(line)];
    if (reply && !replies.has(Number(reply[1]))) replies.set(Number(reply[1]), Number(reply[2]));
    else if (back) output.returned ??= { from: back[1] ?? back[2] ?? '', why: whyOf(back[3] ?? '') };
    else if (sent) output.sent = Number(sent[1]);
  }
  output.rttsMs = [...replies].sort(([one], [other]) => one - other).map(([, rttMs]) => rttMs);
  return output;
}

function whyOf(words: string): Returned {
  if (/time to live|hop limit/i.test(words)) return 'ttl_exceeded';
  if (/prohibited|filtered/i.test(words)) return 'prohibited';
  if (/frag needed|too big/i.test(words)) return 'too_large';
  return /unreachable/i.test(words) ? 'unreachable' : 'refused';
}
