import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { scopeCss } from '../../../controller/status-pages/custom-css.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

test.each([
  ['h1, a:hover { color: red; }', '.page h1,.page a:hover{color:red}'],
  ['body { --ground: #fff; font-family: "Inter", serif }', '.page{--ground:#fff;font-family:"Inter",serif}'],
  [':root > header { background: linear-gradient(red, #00f) }', '.page>header{background:linear-gradient(red,#00f)}'],
  [':root { --notice: #a5c8ff }', '.page{--notice:#a5c8ff}'],
  ['/* note */ .components li:nth-child(2n) { margin-top: .5rem !important }',
    '.page .components li:nth-child(2n){margin-top:.5rem!important}'],
  ['@media (max-width: 30em) { html h1 { font-size: 1.2rem } }', '@media (max-width:30em){.page h1{font-size:1.2rem}}'],
  ['summary ~ p { color: var(--good) }', '.page summary~p{color:var(--good)}'],
  ['', ''],
])('%j is limited to the page\'s content', (text, css) => {
  expect(scopeCss(text)).toEqual({ css });
});

test.each([
  ['</style><script>alert(1)</script>', /^Line 1: /],
  ['@import "https://evil.example/a.css";', 'Line 1: @import is not allowed'],
  ['@font-face { font-family: a; src: url(https://evil.example/) }', 'Line 1: @font-face is not allowed'],
  ['@charset "utf-7";', 'Line 1: @charset is not allowed'],
  ['@layer a { h1 { color: red } }', 'Line 1: @layer is not allowed'],
  ['h1 {\n color: red;\n background: url(https://evil.example/?a) }', 'Line 3: The value of background is not allowed'],
  ['h1 { background: URL("https://evil.example/") }', 'Line 1: The value of background is not allowed'],
  ['h1 { background: \\75rl(https://evil.example/) }', 'Must not contain backslashes'],
  ['h1 { background: image-set("https://evil.example/" 1x) }', 'Line 1: image-set() is not allowed'],
  ['h1 { background: src("https://evil.example/") }', 'Line 1: src() is not allowed'],
  ['h1 { color: var(--a, url(https://evil.example/)) }', 'Line 1: The value of color is not allowed'],
  ['h1 { --x: url(https://evil.example/) }', 'Line 1: --x is not allowed'],
  ['h1 { --text: url(https://evil.example/) }', 'Line 1: The value of --text is not allowed'],
  ['h1 { width: expression(alert(1)) }', 'Line 1: expression() is not allowed'],
  ['h1 { position: fixed }', 'Line 1: position is not allowed'],
  ['h1 { behavior: none }', 'Line 1: behavior is not allowed'],
  ['h1 { transform: scale(9) }', 'Line 1: transform is not allowed'],
  ['h1 { margin-top: -50rem }', 'Line 1: Numbers must be from 0 to 1000'],
  ['h1 { margin: calc(0px - 50rem) }', 'Line 1: calc() is not allowed'],
  ['h1 { padding: 1e9px }', 'Line 1: Numbers must be from 0 to 1000'],
  ['h1::before { color: red }', 'Line 1: ::before is not allowed in a selector'],
  ['a:has(b) { color: red }', 'Line 1: :has(b) is not allowed in a selector'],
  ['body ~ footer { display: none }', 'Line 1: body, html and :root can only be followed by elements inside them'],
  ['body + * { display: none }', 'Line 1: body, html and :root can only be followed by elements inside them'],
  ['~ footer { display: none }', /^Line 1: /],
  ['h1 { & ~ a { color: red } }', 'Line 1: Only declarations are allowed in a rule'],
  ['h1 { color: red', { css: '.page h1{color:red}' }],
  ['h1 { color: red } }', /^Line 1: /],
  ['h1 { color }', /^Line 1: /],
  ['h1 { *color: red }', 'Line 1: *color is not allowed'],
  [`a:not(${':is('.repeat(4000)}`, 'Brackets must not be nested more than 10 deep'],
  ['<!-- h1 { color: red } -->', 'Line 1: Only rules and @media are allowed'],
])('%j', (text, expected) => {
  const scoped = scopeCss(text);
  if (typeof expected === 'object' && 'css' in expected) return expect(scoped).toEqual(expected);
  const problem = 'problem' in scoped ? scoped.problem : `allowed: ${scoped.css}`;
  if (typeof expected === 'string') return expect(problem).toBe(expected);
  return expect(problem).toMatch(expected);
});

const FRAGMENTS = [
  'h1', 'body', ':root', 'a:hover', '.x', '[title="}"]', ' ', '>', '~', '+', ',', '{', '}', ';', ':', '(', ')', '"', "'",
  'color', 'red', 'background', 'url(//x.test)', 'var(--text', 'rgb(1 2 3)', '-1px', '2em', '@media', 'print', '@import',
  '/*', '*/', '<!--', '</style>', '&', '!important', '\n', 'é', '\u2028', 'position:fixed', '::before',
];

test('no custom CSS reaches outside the content or loads anything', () => {
  const style = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map((parts) => parts.join(''));
  fc.assert(fc.property(style, (text) => {
    const scoped = scopeCss(text);
    if ('problem' in scoped) return;
    const withoutStrings = scoped.css.replace(/"[^"]*"/g, '');
    expect(withoutStrings).not.toMatch(/url\(|@import|position|::|\\/i);
    for (const rule of scoped.css.split('\n').filter((line) => line !== '')) {
      expect(rule).toMatch(/^(?:@media[^{]*\{)?(?:\.page|\})/);
    }
  }), { numRuns: fewOrAll(200, 1000) });
});
