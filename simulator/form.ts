import type { Exchange } from "./exchange.ts"
import type { JsonObject } from "./json.ts"

/** A file in a form. */
export interface SentFile {
  readonly field: string
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** A received form. */
export interface SentForm {
  /** The fields of the form. If a name ends in `[]`, its values are joined by commas. */
  readonly fields: Readonly<Record<string, string>>
  readonly files: readonly SentFile[]
}

type Entries = Iterable<readonly [field: string, value: string | File]>

/** Reads a form, and logs its fields and the properties of its files. Returns undefined if the body is not a form. */
export async function readForm(exchange: Exchange): Promise<SentForm | undefined> {
  let data: Entries
  try {
    // The types of Bun and of the browser differ for the entries of a form.
    data = (await exchange.request.formData()) as unknown as Entries
  } catch {
    return undefined
  }
  const fields: Record<string, string> = {}
  const files: SentFile[] = []
  const logged: JsonObject = {}
  let size = 0
  for (const [field, value] of data) {
    if (typeof value === "string") {
      const before = field.endsWith("[]") ? fields[field] : undefined
      fields[field] = before === undefined ? value : `${before},${value}`
      logged[field] = value
      continue
    }
    const bytes = await value.bytes()
    size += bytes.byteLength
    files.push({ field, name: value.name, type: value.type, bytes })
    const described = { name: value.name, type: value.type, size: bytes.byteLength }
    const before = logged[field]
    logged[field] = before === undefined ? described : [...[before].flat(), described]
  }
  exchange.state.log.keepBody(exchange.record, logged, size)
  return { fields, files }
}
