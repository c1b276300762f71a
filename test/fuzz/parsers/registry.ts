import { bodyFraming } from './body-framing.ts';
import { certificateNames, weakSignature } from './certificate.ts';
import { dnsReply } from './dns-reply.ts';
import { evidenceText } from './evidence.ts';
import type { FuzzedParser } from './fuzzed-parser.ts';
import { icmpPacket, pingOutput } from './icmp.ts';
import { jsonText } from './json-text.ts';
import { responseHead } from './response-head.ts';
import { tcpConversations } from './tcp-conversations.ts';

/** Every parser that reads what a target sends. */
export const FUZZED_PARSERS: readonly FuzzedParser[] = [
  bodyFraming,
  certificateNames,
  dnsReply,
  evidenceText,
  icmpPacket,
  jsonText,
  pingOutput,
  responseHead,
  tcpConversations,
  weakSignature,
];
