import { MAX_JSON_DEPTH } from "./json.ts"
import { JsonScanner } from "./json-structure.ts"

/** Limits of another server's response. */
export interface TextLimits {
  readonly maxBytes: number
  /** Maximum lists, objects, members and elements if the text is JSON. */
  readonly maxValues: number
}

/**
 * Reads the body of another server's response. Limits its size, nesting and number of values while it arrives, so that
 * parsing the text neither blocks the event loop nor takes much memory.
 * @returns undefined if the body exceeds a limit; the rest of it is then not read.
 */
export async function boundedText(
  body: AsyncIterable<Uint8Array> | null,
  limits: TextLimits,
): Promise<string | undefined> {
  return (await boundedBytes(body, limits))?.toString("utf8")
}

/** Reads the bytes of another server's response, with the limits of `boundedText`. */
export async function boundedBytes(
  body: AsyncIterable<Uint8Array> | null,
  { maxBytes, maxValues }: TextLimits,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  const scanner = new JsonScanner()
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the body.
    if (bytes > maxBytes) return undefined
    scanner.push(chunk)
    if (isTooComplex(scanner, maxValues)) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function isTooComplex(
  { values, elements, deepest, isTooWide }: JsonScanner,
  maxValues: number,
): boolean {
  return Math.max(values, elements) > maxValues || deepest > MAX_JSON_DEPTH || isTooWide
}
