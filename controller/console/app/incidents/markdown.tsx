import { lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';

/** Renders Markdown. Shows HTML as text and links only http and https URLs. */
export default function Markdown({ text }: { text: string }) {
  return <div class="markdown">{renderTokens(lexer(text))}</div>;
}

function renderTokens(tokens: readonly Token[] | undefined): ComponentChildren {
  return (tokens ?? []).map((token, at) => <Element key={at} token={token} />);
}

function Element({ token }: { token: Token }) {
  const inner = 'tokens' in token ? renderTokens(token.tokens) : null;
  switch (token.type) {
    case 'heading': return <Heading depth={(token as Tokens.Heading).depth}>{inner}</Heading>;
    case 'paragraph': return <p>{inner}</p>;
    case 'blockquote': return <blockquote>{inner}</blockquote>;
    case 'strong': return <strong>{inner}</strong>;
    case 'em': return <em>{inner}</em>;
    case 'del': return <del>{inner}</del>;
    case 'code': return <pre tabIndex={0}><code>{token.text}</code></pre>;
    case 'codespan': return <code>{token.text}</code>;
    case 'br': return <br />;
    case 'hr': return <hr />;
    case 'space': case 'def': return null;
    case 'list': return <List list={token as Tokens.List} />;
    case 'table': return <Table table={token as Tokens.Table} />;
    case 'link': return <Link link={token as Tokens.Link}>{inner}</Link>;
    case 'text': return <>{inner ?? (token as Tokens.Text).text}</>;
    case 'escape': return <>{token.text}</>;
    default: return <>{token.raw}</>;
  }
}

/** Starts below the page's own heading levels. */
function Heading({ depth, children }: { depth: number; children: ComponentChildren }) {
  if (depth === 1) return <h3>{children}</h3>;
  return depth === 2 ? <h4>{children}</h4> : <h5>{children}</h5>;
}

function List({ list: { ordered, items } }: { list: Tokens.List }) {
  const entries = items.map((item, at) => <li key={at}>{renderTokens(item.tokens)}</li>);
  return ordered ? <ol>{entries}</ol> : <ul>{entries}</ul>;
}

function Table({ table: { header, rows } }: { table: Tokens.Table }) {
  return (
    <table>
      <thead><tr>{header.map((cell, at) => <th key={at} scope="col">{renderTokens(cell.tokens)}</th>)}</tr></thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>{row.map((cell, column) => <td key={column}>{renderTokens(cell.tokens)}</td>)}</tr>
        ))}
      </tbody>
    </table>
  );
}

function Link({ link: { href }, children }: { link: Tokens.Link; children: ComponentChildren }) {
  if (!/^https?:\/\//i.test(href)) return <>{children}</>;
  return <a href={href} rel="noreferrer noopener nofollow" target="_blank">{children}</a>;
}
