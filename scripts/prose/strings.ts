import { type Node, type Program, Visitor } from "oxc-parser"
import type { Kind } from "./passage.ts"
import { commentsOf } from "./read-sql.ts"

/** Folders whose strings people read. Strings in other folders quote vendors or contain test data. */
const MESSAGES = /^(?:src|contract|console\/src|scripts|bench|torture)\//
const SQL =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|BEGIN|AND|OR|WHERE|FROM|ORDER|PRAGMA|SET|LOCK|\()\b/
const TEST_FUNCTIONS: ReadonlySet<string> = new Set(["test", "it"])
const CONSTANT = /^[A-Z][A-Z0-9_]+$/
const SQL_COMMENT = /^\s*-- \S/m

/** A string in a program that people read. */
export interface Text {
  readonly kind: Kind
  readonly text: string
  /** Offset in the source. */
  readonly start: number
}

/** Returns the names of the tests in a program. */
export function testNames(program: Program): Text[] {
  const names: Text[] = []
  new Visitor({
    CallExpression({ callee, arguments: [name] }) {
      if (name === undefined || !TEST_FUNCTIONS.has(rootOf(callee))) return
      const text = textOf(name)
      if (text !== undefined) names.push({ kind: "test name", text, start: name.start })
    },
  }).visit(program)
  return names
}

/** Returns the function at the start of a call chain, such as `test` for `test.each(rows)`. */
function rootOf(callee: Node): string {
  if (callee.type === "Identifier") return callee.name
  if (callee.type === "MemberExpression") return rootOf(callee.object)
  if (callee.type === "CallExpression") return rootOf(callee.callee)
  return callee.type === "TaggedTemplateExpression" ? rootOf(callee.tag) : ""
}

function textOf(node: Node): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined
  if (node.type !== "TemplateLiteral") return undefined
  return node.quasis.map(({ value }) => value.cooked ?? value.raw).join("%s")
}

/** Returns the names of the constants in a program. */
export function constants(program: Program): Text[] {
  const names: Text[] = []
  new Visitor({
    VariableDeclarator({ id }) {
      if (id.type === "Identifier" && CONSTANT.test(id.name))
        names.push({ kind: "constant", text: id.name, start: id.start })
    },
  }).visit(program)
  return names
}

/** Returns the sentences in a program, and the comments in its SQL. */
export function messages(path: string, source: string, program: Program): Text[] {
  if (!MESSAGES.test(path)) return []
  const found: Text[] = []
  const tagged = new Set<number>()
  const add = (node: Node): void => {
    const text = textOf(node)
    if (text === undefined) return
    const { start, end } = node
    if (SQL_COMMENT.test(text)) {
      for (const comment of commentsOf(source.slice(start, end)))
        found.push({ kind: "comment", text: comment.text, start: start + comment.start })
    } else if (isSentence(text) && !tagged.has(start)) found.push({ kind: "message", text, start })
  }
  new Visitor({
    TaggedTemplateExpression: ({ quasi }) => void tagged.add(quasi.start),
    Literal: add,
    TemplateLiteral: add,
    JSXText: ({ value, start }) => void found.push({ kind: "message", text: value, start }),
  }).visit(program)
  return found
}

/** Whether a string reads like a sentence: at least three words in lower case, no path and no SQL. */
function isSentence(text: string): boolean {
  return (
    /\s/.test(text) &&
    !SQL.test(text) &&
    (text.match(/(?<![\w-])[a-z]{2,}(?![\w-])/g)?.length ?? 0) >= 3
  )
}
