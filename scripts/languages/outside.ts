import { globSync } from "node:fs"
import {
  calleeOf,
  isNode,
  literalText,
  type Node,
  readSource,
  type Source,
  walk,
} from "./syntax.ts"

/** Attributes and properties whose text people read. */
const TEXT_NAMES: ReadonlySet<string> = new Set([
  "action",
  "alt",
  "aria-description",
  "aria-label",
  "closeButtonLabel",
  "description",
  "done",
  "empty",
  "header",
  "heading",
  "help",
  "hint",
  "label",
  "legend",
  "message",
  "none",
  "note",
  "nothingFoundMessage",
  "placeholder",
  "text",
  "title",
  "unit",
  "unknownTitle",
])
/** Attributes with names of styles, fields and addresses. */
const CODE_ATTRIBUTES =
  /^(?:classNames?|style|color|bg|c|flex|w|maw|rel|autoComplete|accept|d|viewBox)$/
/** Functions that receive messages, or names of routes and styles. */
const CODE_FUNCTIONS: ReadonlySet<string> = new Set([
  "t",
  "rich",
  "api",
  "addressOf",
  "oneQuery",
  "useMediaQuery",
  "usePages",
])
/** Files with programs in other languages, and files whose texts are names. */
const EXCEPT =
  /^console\/src\/(?:languages|pages\/playground\/code)\/|\/(?:key-snippets|icons)\.tsx?$/
/** Properties that contain programs, or ids that only the console reads. */
const CODE_MEMBERS: ReadonlySet<string> = new Set(["id", "javascript", "needs", "python"])
/** Names, headings of CSV files, and errors that only a mistake in the console causes. */
const ALLOWED: ReadonlySet<string> = new Set([
  "Ctrl",
  "Esc",
  "HTTP",
  "JSON",
  "Tollgate",
  "ends in",
  "feature",
  "search",
  "there is no metric",
  "The page has no root element for the console",
  "tollgate.yaml",
  "vendor cost",
])
/** Examples of keys and addresses. */
const EXAMPLE = /^(?:sk-|https:\/\/|ada@|[[{])/
/** At least two words, of which the first can be a value. */
const SENTENCE = /(?:^|\s|0)[A-Za-z][a-z']* (?:[A-Za-z][a-z']+|0)|[a-z] 0|0 [a-z]{2}/
/** Selectors, media queries, styles, headers and routes. */
const CODE =
  /^[[(<.#]|^[A-Z]+ \/|[{}=;]|var\(|: \d|sans-serif|\bin srgb\b|^Bearer |^\d+ \d|^data: |^import /
const WORD = /[A-Za-z]{2}/

/** Returns the texts of the console that are not in the catalog. */
export function textOutsideCatalog(): string[] {
  return globSync("console/src/**/*.{ts,tsx}")
    .filter((path) => !EXCEPT.test(path))
    .toSorted()
    .flatMap((path) => outsideTexts(readSource(path)))
}

/** Returns the texts of a source that are not in the catalog. */
export function outsideTexts(source: Source): string[] {
  const found: string[] = []
  walk(source.program, (node, parents) => {
    if (isCode(node)) return false
    const text = node.type === "JSXText" ? shownText(node) : patternOf(node)
    if (text === undefined || !WORD.test(text)) return undefined
    if (ALLOWED.has(text) || EXAMPLE.test(text)) return undefined
    if (node.type === "JSXText" || isShown(node, parents) || isSentence(text)) {
      found.push(`${source.placeOf(node)}: ${JSON.stringify(text)} is not in the catalog; use t(…)`)
    }
    return undefined
  })
  return found
}

/** Reports whether the texts below a node are code. */
function isCode(node: Node): boolean {
  if (/^(?:Import|ExportAll|TS(?!As|Satisfies|NonNull))/.test(node.type)) return true
  if (node.type === "ExportNamedDeclaration" && node["source"]) return true
  const callee = calleeOf(node)
  if (callee !== undefined) return CODE_FUNCTIONS.has(callee)
  if (node.type === "Property") return CODE_MEMBERS.has(nameOf(node["key"]))
  if (node.type !== "JSXAttribute") return false
  return CODE_ATTRIBUTES.test(nameOf(node["name"])) || nameOf(node["name"]).startsWith("data-")
}

function shownText(node: Node): string {
  return String(node["value"]).replaceAll(/&\w+;/g, "").trim()
}

/** Returns the text of a literal, in which 0 stands for each value. */
function patternOf(node: Node): string | undefined {
  if (node.type !== "TemplateLiteral") return literalText(node)
  const quasis = node["quasis"] as readonly { readonly value: { readonly cooked: string } }[]
  return quasis.map(({ value }) => value.cooked).join("0")
}

function isSentence(text: string): boolean {
  return SENTENCE.test(text) && !CODE.test(text)
}

/** Reports whether a literal is the value of a text attribute or property, or a child of an element. */
function isShown(node: Node, parents: readonly Node[]): boolean {
  let child = node
  for (const parent of parents.toReversed()) {
    if (parent.type === "JSXExpressionContainer" || isChoice(parent, child)) {
      child = parent
      continue
    }
    if (parent.type === "JSXElement" || parent.type === "JSXFragment") return true
    if (parent.type === "JSXAttribute") return TEXT_NAMES.has(nameOf(parent["name"]))
    const isValue = parent.type === "Property" && parent["value"] === child
    return isValue && TEXT_NAMES.has(nameOf(parent["key"]))
  }
  return false
}

/** Reports whether the value of an expression can be the value of one of its parts. */
function isChoice(parent: Node, child: Node): boolean {
  if (parent.type === "ConditionalExpression") return parent["test"] !== child
  return (
    parent.type === "LogicalExpression" ||
    parent.type === "ParenthesizedExpression" ||
    parent.type === "TSAsExpression"
  )
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return ""
  const { name, value } = node
  return typeof name === "string" ? name : String(value ?? "")
}
