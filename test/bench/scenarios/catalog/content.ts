import type { Expected, MonitorBody, Scenario } from '../scenario.ts';
import { CANARY, page, shows } from '../targets/web-site.ts';
import type { World } from '../world.ts';

const EXPECTED: Expected = { event: 'monitor.down', type: 'keyword_missing', layer: 'content' };

const keyword = (text: string, isExpected: boolean): object => ({
  type: 'KEYWORD', keyword_config: { keywords: [{ text, should_contain: isExpected }], case_sensitive: true },
});
const assertion = (target: string): object => ({
  type: 'HTTP', http_config: { assertions: [{ source: 'body', comparison: 'not_contains', target }] },
});

/** A page that responds with 200 but has the wrong content. `rule` is the monitor's condition on it. */
function badPage(name: string, body: string, rule: object): Scenario {
  const monitor = (settings: object) =>
    (world: World): MonitorBody => ({ type: 'HTTP', target: world.site.url(name), ...settings });
  return {
    name, expected: EXPECTED, detector: monitor(rule), bystanders: { 'status only': monitor({}) },
    toggle: (world, isOn) => world.site.set(name, isOn ? shows(body) : null),
  };
}

const SOUND = keyword(CANARY, true);

export const CONTENT: readonly Scenario[] = [
  badPage('content-defacement', '<html><body><h1>We were here</h1></body></html>', SOUND),
  badPage('content-empty', '\n', SOUND),
  badPage('content-error-page', '<html><body><p>The database cannot be reached.</p></body></html>', SOUND),
  badPage('content-keyword-injected', page('<p>HACKED</p>'), keyword('HACKED', false)),
  badPage('content-keyword-missing', page().replace(CANARY, 'Closed'), SOUND),
  badPage(
    'content-malicious-script', page('<script src="https://evil.example/x.js"></script>'),
    // The site's own scripts have relative URLs.
    assertion('<script src="http'),
  ),
  badPage('content-ransomware', '<html><body><p>Your files are encrypted. Pay.</p></body></html>', SOUND),
  badPage(
    'content-spam-links', page('<div style="display:none"><a href="https://casino.example">casino</a></div>'),
    assertion('display:none'),
  ),
];
