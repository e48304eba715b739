import "./markdown.css"
import { lexer, type MarkedToken, type Token, type TokensList } from "marked"
import { createElement, Fragment, memo, type ReactNode, useDeferredValue, useMemo } from "react"
import { Snippet } from "./snippet.tsx"
import { t } from "../languages/text.ts"

/** Maximum length of text that is parsed. Parsing longer text would block the page, so it is shown as plain text. */
const MAX_CHARACTERS = 100_000
/** Maximum nesting of quotes and lists. */
const MAX_DEPTH = 16

/**
 * Renders Markdown as elements. Text is never inserted as HTML: tags are shown as text, and images as links. Links lead
 * only to other sites or to email addresses, never to scripts.
 */
export function Markdown({ text }: { readonly text: string }) {
  const shown = useDeferredValue(text)
  const blocks = useMemo(() => read(shown), [shown])
  if (blocks === undefined) return <div className="markdown-plain">{shown}</div>
  // A link reference may be defined after its use.
  const references = Object.keys(blocks.links).length
  return (
    <div className="markdown">
      {blocks.map((token, index) => (
        <Block key={index.toString()} token={token} references={references} />
      ))}
    </div>
  )
}

function read(text: string): TokensList | undefined {
  if (text.length > MAX_CHARACTERS) return undefined
  try {
    return lexer(text)
  } catch {
    return undefined
  }
}

interface BlockProperties {
  readonly token: Token
  readonly references: number
}

/** Rendered again only if it changes. While a response is streaming, only its last block changes. */
const Block = memo(
  ({ token }: BlockProperties) => shownToken(token, 0),
  (before, now) => before.token.raw === now.token.raw && before.references === now.references,
)
Block.displayName = "Block"

function inside(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  return tokens?.map((token, index) => (
    <Fragment key={index.toString()}>{shownToken(token, depth + 1)}</Fragment>
  ))
}

function shownToken(token: Token, depth: number): ReactNode {
  const known = token as MarkedToken
  if (depth > MAX_DEPTH) return known.raw
  switch (known.type) {
    case "heading":
      // The page's own headings have higher levels.
      return createElement(`h${Math.min(6, known.depth + 2)}`, {}, inside(known.tokens, depth))
    case "paragraph":
      return <p>{inside(known.tokens, depth)}</p>
    case "code":
      return (
        <Snippet
          code={known.text}
          label={
            known.lang === undefined || known.lang === ""
              ? t("Copy code")
              : t("Copy {language} code", { language: known.lang })
          }
        />
      )
    case "blockquote":
      return <blockquote>{inside(known.tokens, depth)}</blockquote>
    case "list": {
      const items = known.items.map((item, index) => (
        <li key={index.toString()}>{inside(item.tokens, depth)}</li>
      ))
      return known.ordered ? <ol start={Number(known.start)}>{items}</ol> : <ul>{items}</ul>
    }
    case "table":
      return <TableView table={known} depth={depth} />
    case "hr":
      return <hr />
    case "br":
      return <br />
    case "strong":
      return <strong>{inside(known.tokens, depth)}</strong>
    case "em":
      return <em>{inside(known.tokens, depth)}</em>
    case "del":
      return <del>{inside(known.tokens, depth)}</del>
    case "codespan":
      return <code>{known.text}</code>
    case "link":
      return <LinkView href={known.href}>{inside(known.tokens, depth)}</LinkView>
    case "image":
      return <LinkView href={known.href}>{known.text === "" ? known.href : known.text}</LinkView>
    case "checkbox":
      return (
        <span aria-label={known.checked ? t("done") : t("to do")}>
          {known.checked ? "☑ " : "☐ "}
        </span>
      )
    case "text":
      return known.tokens === undefined ? decoded(known.text) : inside(known.tokens, depth)
    case "escape":
      return known.text
    case "space":
    case "def":
      return null
    default:
      return known.raw
  }
}

type TableToken = Extract<MarkedToken, { type: "table" }>

function TableView({ table, depth }: { readonly table: TableToken; readonly depth: number }) {
  return (
    <div className="markdown-table" tabIndex={0} role="group" aria-label={t("Table")}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, column) => (
              <th key={column.toString()} align={cell.align ?? undefined}>
                {inside(cell.tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index.toString()}>
              {row.map((cell, column) => (
                <td key={column.toString()} align={cell.align ?? undefined}>
                  {inside(cell.tokens, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function LinkView({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  if (!/^(?:https?|mailto):/i.test(href)) return children
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
    </a>
  )
}

/** Decodes entities such as `&amp;`. The text is not rendered as HTML, so the browser does not decode it. */
function decoded(text: string): string {
  return text.replaceAll(/&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi, (entity) => {
    const page = new DOMParser().parseFromString(entity, "text/html")
    return page.body.textContent ?? entity
  })
}
