import { gunzipSync } from "node:zlib"

/** Text that was planted in one place, to find it in other places. */
export interface Canary {
  /** Where it was planted. */
  readonly name: string
  readonly text: string
}

/** One of the searched outputs. */
export interface Output {
  /** Its name, such as `data/tollgate.db` or `GET /audit`. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** Bytes in front of gzip's data. */
const GZIP = [0x1f, 0x8b]
const NEARBY = 60

/** The canaries in an output, in any encoding, each with the text around it. */
export function findCanaries(output: Output, canaries: readonly Canary[]): string[] {
  const texts = [output.bytes, ...unpacked(output.bytes)].map((bytes) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"),
  )
  const found: string[] = []
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

const FORMS = new Map<string, ReadonlySet<string>>()

function knownForms(text: string): ReadonlySet<string> {
  const known = FORMS.get(text) ?? formsOf(text)
  FORMS.set(text, known)
  return known
}

function unpacked(bytes: Uint8Array): Uint8Array[] {
  return GZIP.every((byte, index) => bytes[index] === byte) ? [gunzipSync(bytes)] : []
}

/** Plain, as JSON and URLs escape it, in hexadecimal digits, and in base64 at each position of a group. */
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
