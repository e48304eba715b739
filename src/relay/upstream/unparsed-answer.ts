import { GatewayError } from "../../canon/errors.ts"
import { UsageMembers } from "./usage-members.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import { isJsonObject, type JsonObject, MAX_JSON_DEPTH, parseJson } from "../../canon/json.ts"

/** Characters at the end of an answer that are searched for its usage. */
export const TAIL_LENGTH = 16 * 1024

const JSON_START = /^\s*[{[]/

/**
 * Returns the members with the usage of a complete text that was not parsed as JSON because it is nested too deeply or
 * has too many members; undefined for any other text. Callers can provoke such answers by requesting tool arguments of
 * this form.
 */
export function usageIfTooComplex(text: string): JsonObject | undefined {
  if (!JSON_START.test(text)) return undefined
  const usage = new UsageMembers()
  const scanner = new JsonScanner({ observer: usage })
  scanner.push(Buffer.from(text))
  return scanner.isClosed && isTooComplex(scanner) ? usage.members : undefined
}

/** Whether a scanned text is nested too deeply or has too many members to be parsed. */
export function isTooComplex({ deepest, isTooWide }: JsonScanner): boolean {
  return deepest > MAX_JSON_DEPTH || isTooWide
}

/** Returns the error for an answer that is too complex to be parsed. Its provider bills the answer. */
export function tooComplex(provider: string): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent a response with more than ${MAX_JSON_DEPTH} levels, or with too many members. Request less nesting or fewer members.`,
    { providerError: "generation", billedAnswer: {} },
  )
}

/** Returns the members with the usage of a JSON object, without parsing the object. */
export function usageOfText(text: string): JsonObject {
  const usage = new UsageMembers()
  new JsonScanner({ observer: usage }).push(Buffer.from(text))
  return usage.members
}

/**
 * Returns the usage members from the last line of a stream that reports usage.
 * @param tail the last part.
 */
export function usageAtEnd(tail: string): JsonObject {
  const lines = tail.split("\n")
  const line = lines.findLast((text) => /"usage(?:Metadata)?"/.test(text)) ?? ""
  const text = line.slice(0, line.lastIndexOf("}") + 1)
  // The start of a long line is not in the last part of the stream.
  return line === lines[0] ? membersAtEnd(text) : usageOfText(text.slice(text.indexOf("{")))
}

/** Returns the usage at the end of an object whose start is missing, and the members after it. */
function membersAtEnd(text: string): JsonObject {
  for (const name of ["usage", "usageMetadata"]) {
    const start = text.lastIndexOf(`"${name}"`)
    // Members of an inner object and the text after it are not a valid object.
    const found = start === -1 ? undefined : parseJson(`{${text.slice(start)}`)
    if (isJsonObject(found)) return found
  }
  return {}
}
