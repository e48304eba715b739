import { gunzipSync } from "node:zlib"

/** A unique text that is planted in one place, so that leaks can be found in other places. */
export interface Canary {
  /** The place in which the text is planted. */
  readonly name: string
  readonly text: string
}

/** An output that is searched. */
export interface Output {
  /** The name of the output, such as `data/tollgate.db` or `GET /audit`. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** The first bytes of gzipped data. */
const GZIP = [0x1f, 0x8b]
const NEARBY = 60

/** Returns the canaries in an output, in any encoding, each with the text around it. */
export function findCanaries(output: Output, canaries: readonly Canary[]): string[] {
  const texts = [output.bytes, ...unpacked(output.bytes)].map((bytes) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"),
  )
  const found: string[] = []
  const pattern = patternOf(canaries)
  if (!texts.some((one) => pattern.test(one))) return found
  for (const { name, text: planted } of canaries) {
    for (const form of knownForms(planted)) {
      const text = texts.find((one) => one.includes(form))
      if (text === undefined) continue
      const at = text.indexOf(form)
      const around = text.slice(Math.max(0, at - NEARBY), at + form.length + NEARBY)
      found.push(`${output.name} has ${name}: ${around.replace(/[^\x20-\x7e]+/g, ".")}`)
      break
    }
  }
  return found
}

const PATTERNS = new Map<string, RegExp>()

/** Returns an expression that matches any form of the canaries. It searches much faster than the forms one by one. */
function patternOf(canaries: readonly Canary[]): RegExp {
  const key = canaries.map(({ text }) => text).join("\n")
  const known = PATTERNS.get(key)
  if (known !== undefined) return known
  const forms = canaries.flatMap(({ text }) => [...knownForms(text)]).map(RegExp.escape)
  const pattern = new RegExp(forms.length === 0 ? "(?!)" : forms.join("|"))
  PATTERNS.set(key, pattern)
  return pattern
}

const FORMS = new Map<string, ReadonlySet<string>>()

function knownForms(text: string): ReadonlySet<string> {
  const known = FORMS.get(text) ?? formsOf(text)
  FORMS.set(text, known)
  return known
}

function unpacked(bytes: Uint8Array): Uint8Array[] {
  return GZIP.every((byte, index) => bytes[index] === byte) ? [gunzipSync(bytes)] : []
}

/**
 * Returns the forms in which a text may appear: plain, escaped in JSON and URLs, in hexadecimal digits, and in base64
 * at each position within a group.
 */
function formsOf(text: string): ReadonlySet<string> {
  const bytes = Buffer.from(text)
  const packed = [0, 1, 2].map((before) => {
    const base64 = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64")
    return base64.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  return new Set([
    text,
    encodeURIComponent(text),
    JSON.stringify(text).slice(1, -1),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    ...packed,
    ...packed.map((base64) => base64.replaceAll("+", "-").replaceAll("/", "_")),
  ])
}
