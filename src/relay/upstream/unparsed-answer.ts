import { GatewayError } from "../../canon/errors.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import { isJsonObject, type JsonObject, MAX_JSON_DEPTH, parseJson } from "../../canon/json.ts"

/** Characters at the end of an answer that are searched for its usage. */
export const TAIL_LENGTH = 16 * 1024

const OPENING_BRACE = 0x7b

/**
 * Whether a complete text that was not parsed as JSON is nested too deeply or has too many members. Callers can provoke
 * such answers by asking for such arguments of a tool.
 */
export function isTooComplex(text: string): boolean {
  if (text.charCodeAt(0) !== OPENING_BRACE) return false
  const scanner = new JsonScanner()
  scanner.push(Buffer.from(text))
  return scanner.isClosed && (scanner.deepest > MAX_JSON_DEPTH || scanner.isTooWide)
}

/** The error of such an answer, which its provider bills. */
export function tooComplex(provider: string): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent an answer with more than ${MAX_JSON_DEPTH} levels, or with too many members. Ask for less nesting or fewer members.`,
    { providerError: "generation", billedAnswer: {} },
  )
}

/** Members with the mode of service or the usage, which follow all content in an answer (`meta`: Cohere). */
const NAMES_AT_END = [
  "service_tier",
  "serviceTier",
  "performanceConfig",
  "usage",
  "usageMetadata",
  "meta",
]

/** Whether an answer reports its usage. @param tail the last part of its text. */
export function reportsUsage(tail: string): boolean {
  const { usage, usageMetadata } = membersAtEnd(tail)
  return isJsonObject(usage) || isJsonObject(usageMetadata)
}

/** Returns such members of an answer, and those after them. @param tail the last part of its text. */
export function membersAtEnd(tail: string): JsonObject {
  const members: JsonObject = {}
  for (const name of NAMES_AT_END) {
    const start = tail.lastIndexOf(`"${name}"`)
    // Members of an inner object and the text after it are not a valid object.
    const found = start === -1 ? undefined : parseJson(`{${tail.slice(start)}`)
    if (isJsonObject(found)) Object.assign(members, found)
  }
  return members
}

/** Returns the last line with usage of a stream, without the text around its object. @param tail the last part. */
export function usageLine(tail: string): string {
  const line = tail.split("\n").findLast((text) => /"usage(?:Metadata)?"/.test(text)) ?? ""
  return line.slice(0, line.lastIndexOf("}") + 1)
}
