import { bodyFraming } from './body-framing.ts';
import { bodyText } from './body-text.ts';
import { certificateFacts, certificateNames, weakSignature } from './certificate.ts';
import { bodyDecoding, excerptText } from './content-decoding.ts';
import { clientAddress, resultPack, strictJson } from './controller-input.ts';
import { dnsResponse } from './dns-response.ts';
import { publishedDate, rdapResponse, whoisResponse } from './domains.ts';
import { evidenceText } from './evidence.ts';
import type { FuzzedParser } from './fuzzed-parser.ts';
import { icmpPacket, pingOutput } from './icmp.ts';
import { hostsFile, systemServers } from './name-service.ts';
import { assertions, keywords, literalSearch } from './page-content.ts';
import { redirects } from './redirects.ts';
import { responseHead } from './response-head.ts';
import { tcpConversations } from './tcp-conversations.ts';

/** Every parser of external input: from targets, name servers, registries, probes or clients. */
export const FUZZED_PARSERS: readonly FuzzedParser[] = [
  assertions,
  bodyDecoding,
  bodyFraming,
  bodyText,
  certificateFacts,
  certificateNames,
  clientAddress,
  dnsResponse,
  evidenceText,
  excerptText,
  hostsFile,
  icmpPacket,
  keywords,
  literalSearch,
  pingOutput,
  publishedDate,
  rdapResponse,
  redirects,
  responseHead,
  resultPack,
  strictJson,
  systemServers,
  tcpConversations,
  weakSignature,
  whoisResponse,
];
