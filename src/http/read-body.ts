import { GatewayError } from "../canon/errors.ts"
import { isJsonObject, type JsonObject } from "../canon/json.ts"

/** Deeper nesting than this is no request but an attack on whoever walks it. */
const DEEPEST = 64

/** A JSON body and the size it came in, in bytes. */
export interface ReceivedBody {
  readonly json: JsonObject
  readonly bytes: number
}

/**
 * Reads a JSON body. One that is announced as too large is refused before a byte of it is read.
 * @param limit bytes.
 * @throws GatewayError `unsupported_media_type`, `body_too_large`, `invalid_json`.
 */
export async function readJsonBody(request: Request, limit: number): Promise<ReceivedBody> {
  const type = request.headers.get("content-type") ?? ""
  if (!isJsonType(type)) {
    throw new GatewayError(
      "unsupported_media_type",
      `The body has to be JSON: send 'content-type: application/json'${type === "" ? "" : `, not '${type.slice(0, 100)}'`}.`,
    )
  }
  const announced = request.headers.get("content-length")
  if (announced !== null && Number(announced) > limit) throw tooLarge(limit)
  let text: string
  try {
    text = announced === null ? await readLimited(request, limit) : await request.text()
  } catch (error) {
    if (error instanceof GatewayError) throw error
    // A caller who leaves while he sends is told so, in case he hears it; it is no failure of ours.
    throw new GatewayError("invalid_json", "The body ended before it was whole.", { cause: error })
  }
  const json = parse(text)
  const bytes = announced === null ? Buffer.byteLength(text) : Number(announced)
  return { json, bytes }
}

function isJsonType(type: string): boolean {
  if (type === "application/json") return true
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type.trim())
}

/** A body that does not tell its length is counted while it arrives, and left when it is too long. */
async function readLimited(request: Request, limit: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of request.body ?? []) {
    size += piece.byteLength
    if (size > limit) throw tooLarge(limit)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}

function parse(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be parsed"
    throw new GatewayError("invalid_json", `The body is not valid JSON: ${reason.slice(0, 200)}.`)
  }
  if (!isJsonObject(value)) {
    throw new GatewayError("invalid_json", "The body has to be a JSON object.")
  }
  if (isDeeperThan(text, DEEPEST)) {
    throw new GatewayError(
      "invalid_json",
      `The body is nested deeper than ${DEEPEST} levels. Send flatter JSON.`,
    )
  }
  return value
}

const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACE = 0x7d
const CLOSE_BRACKET = 0x5d
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Only brackets open levels, so a text with few of them needs no closer look. */
function isDeeperThan(text: string, levels: number): boolean {
  if (!hasManyOpenings(text, levels)) return false
  let depth = 0
  let isText = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isText) {
      if (code === BACKSLASH) index++
      else if (code === QUOTE) isText = false
    } else if (code === QUOTE) isText = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > levels) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return false
}

function hasManyOpenings(text: string, levels: number): boolean {
  let count = 0
  for (const opening of ["{", "["]) {
    for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at + 1)) {
      if (++count > levels) return true
    }
  }
  return false
}

function tooLarge(limit: number): GatewayError {
  const megabytes = (limit / 1024 / 1024).toFixed(limit < 1024 * 1024 ? 3 : 0)
  return new GatewayError("body_too_large", `The body is larger than ${megabytes} MB.`)
}
