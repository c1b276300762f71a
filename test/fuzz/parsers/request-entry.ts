export { nextHop, tooManyRedirects } from '../../../probe/checks/http/hops.ts';
export { requestBytes } from '../../../probe/checks/http/request-head.ts';
export { parsedUrl } from '../../../shared/net-guard.ts';
