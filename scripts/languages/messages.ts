import { globSync } from "node:fs"
import { placeholdersOf } from "./placeholders.ts"
import { serverTexts } from "./server-texts.ts"
import {
  calleeOf,
  isNode,
  literalText,
  type Node,
  readSource,
  type Source,
  walk,
} from "./syntax.ts"

/** A message in English, which is the key of its translations. */
export interface Message {
  readonly text: string
  readonly place: string
  /** The names of its values and tags; undefined for a text without values, in which braces have no meaning. */
  readonly names: readonly string[] | undefined
}

/** Functions whose first argument is a message, and whose second argument contains its values. */
const TRANSLATORS: ReadonlySet<string> = new Set(["t", "rich", "translate"])
/** Sources that define the translators, or that translate texts that are not literals. */
const EXCEPT: ReadonlySet<string> = new Set([
  "console/src/languages/text.ts",
  "contract/price-periods.ts:translate",
])

export interface FoundMessages {
  readonly messages: ReadonlyMap<string, Message>
  readonly violations: readonly string[]
}

/** Returns the messages of the console, and the calls whose messages cannot be translated. */
export function findMessages(): FoundMessages {
  const paths = [...globSync("console/src/**/*.{ts,tsx}"), ...globSync("contract/*.ts")].toSorted()
  const found = paths.flatMap((path) => messagesIn(readSource(path)))
  const messages = new Map<string, Message>()
  const violations: string[] = []
  for (const one of [...found, ...serverMessages()]) {
    if (typeof one === "string") {
      violations.push(one)
      continue
    }
    const known = messages.get(one.text)
    if (known !== undefined && (known.names === undefined) !== (one.names === undefined)) {
      violations.push(`${one.place}: this message has no values elsewhere, or only elsewhere`)
    }
    if (known === undefined) messages.set(one.text, one)
  }
  return { messages, violations }
}

function serverMessages(): Message[] {
  return serverTexts().map((text) => ({ text, place: "the gateway", names: undefined }))
}

/** Returns the messages of a source, and violations as texts. */
export function messagesIn(source: Source): (Message | string)[] {
  const found: (Message | string)[] = []
  walk(source.program, (node) => {
    const callee = calleeOf(node)
    if (callee === undefined || !TRANSLATORS.has(callee)) return
    if (EXCEPT.has(source.path)) return
    const [first, values] = node["arguments"] as readonly unknown[]
    const text = literalText(first)
    if (text !== undefined) found.push(messageOf(source, node, text, values))
    else if (!EXCEPT.has(`${source.path}:${callee}`)) {
      found.push(`${source.placeOf(node)}: the message of '${callee}' must be a literal`)
    }
  })
  return found
}

function messageOf(source: Source, node: Node, text: string, values: unknown): Message | string {
  const place = source.placeOf(node)
  if (values === undefined) return { text, place, names: undefined }
  const names = placeholdersOf(text)
  if (typeof names === "string") return `${place}: the message is not valid: ${names}`
  const given = namesOf(values)
  const unequal = given === undefined ? [] : differences(names, given)
  if (unequal.length === 0) return { text, place, names }
  return `${place}: the values differ from the message: ${unequal.join(", ")}`
}

/** Returns the names of values; undefined if they are not an object with plain members. */
function namesOf(values: unknown): readonly string[] | undefined {
  if (!isNode(values) || values.type !== "ObjectExpression") return undefined
  const members = values["properties"] as readonly Node[]
  const names = members.map(({ type, key }) =>
    type === "Property" && isNode(key) ? String(key["name"] ?? key["value"]) : undefined,
  )
  return names.every((name) => name !== undefined) ? names : undefined
}

/** Returns the names that only one of two lists contains. */
export function differences(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set(some).symmetricDifference(new Set(others))]
}
