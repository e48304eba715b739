import { createHash, createHmac, type Hmac, hkdfSync } from "node:crypto"
import { GatewayError } from "../../canon/errors.ts"
import type { FileBytes } from "../../media/stored-file.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import { readGoogleAddress } from "../v1/google-address.ts"
import { type FilePart, type FormReceiver, readMultipart } from "../../wire/multipart.ts"

export const IDEMPOTENCY_KEY = "idempotency-key"

/** Headers that change the meaning of a request with the same body. */
const MEANT_HEADERS = [
  "x-tollgate-on-low-balance",
  "x-tollgate-strict",
  "x-compact-format",
  "anthropic-beta",
] as const

const PRINTABLE = /^[\x20-\x7e]{1,255}$/
const FORM = /^multipart\/form-data\s*(;|$)/i
/** Limits that exceed those of all endpoints, because each endpoint rejects forms that are too large for it. */
const FORM_LIMITS = { parts: 1_000, fields: 1_000, fieldBytes: 4 * 1024 * 1024 }
const KEY_BYTES = 32
const CHUNK_BYTES = 256 * 1024

/** Reads the idempotency key of a request. @throws GatewayError `invalid_value`. */
export function readIdempotencyKey(headers: Headers): string {
  const key = headers.get(IDEMPOTENCY_KEY) ?? ""
  if (PRINTABLE.test(key)) return key
  throw new GatewayError(
    "invalid_value",
    `The header '${IDEMPOTENCY_KEY}' must be 1 to 255 printable ASCII characters, such as a UUID.`,
    { parameter: IDEMPOTENCY_KEY },
  )
}

export function isForm(headers: Headers): boolean {
  return FORM.test(headers.get("content-type") ?? "")
}

/** The contents of a body that a retry needs. */
export interface ReadBody {
  readonly fingerprint: string
  /** Returns the model in the body. The body is scanned again, because few requests need the model. */
  readonly model: () => Promise<string | undefined>
}

/** Computes hashes of requests. To an attacker who only has the database, they reveal nothing about the requests. */
export class Fingerprints {
  readonly #secret: Uint8Array

  constructor(secret: string) {
    const purpose = "tollgate idempotency keys"
    this.#secret = new Uint8Array(hkdfSync("sha256", secret, "", purpose, KEY_BYTES))
  }

  ofKey(key: string): string {
    return this.#hmac().update(key).digest("base64url")
  }

  /**
   * Computes the fingerprint of a request from its method, address, relevant headers and body. For a form, the parts
   * are hashed, because its boundary differs in each retry.
   */
  async ofRequest({ method, url, headers }: Request, body: FileBytes): Promise<ReadBody> {
    const { pathname, search } = new URL(url)
    const values = MEANT_HEADERS.map((name) => headers.get(name))
    const hmac = this.#hmac().update(JSON.stringify([method, pathname, search, ...values]))
    const form = isForm(headers) ? await readForm(headers, body) : undefined
    if (form) {
      const fingerprint = hmac.update(JSON.stringify(form.parts)).digest("base64url")
      return { fingerprint, model: () => Promise.resolve(form.model) }
    }
    for await (const chunk of chunksOf(body)) hmac.update(chunk)
    return {
      fingerprint: hmac.digest("base64url"),
      model: async () => readGoogleAddress(pathname)?.model ?? (await modelOf(headers, body)),
    }
  }

  #hmac(): Hmac {
    return createHmac("sha256", this.#secret)
  }
}

/** Yields the bytes of a file in chunks. */
export async function* chunksOf(body: FileBytes): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let start = 0; start < body.size; start += CHUNK_BYTES) {
    yield await body.read(start, Math.min(body.size, start + CHUNK_BYTES))
  }
}

type Part = readonly string[]

/** Reads the parts of a form in order. Returns undefined for an invalid form, which is rejected later. */
async function readForm(
  headers: Headers,
  body: FileBytes,
): Promise<{ readonly parts: readonly Part[]; readonly model: string | undefined } | undefined> {
  const parts: Part[] = []
  let model: string | undefined
  const receiver: FormReceiver = {
    field(name, value) {
      if (name === "model") model = value
      parts.push(["field", name, createHash("sha256").update(value).digest("hex")])
    },
    async file({ field, name, type }: FilePart, content) {
      const index = parts.push([]) - 1
      const hash = createHash("sha256")
      for await (const chunk of content) hash.update(chunk)
      parts[index] = ["file", field, name, type, hash.digest("hex")]
    },
  }
  try {
    const type = headers.get("content-type") ?? ""
    await readMultipart(chunksOf(body), type, FORM_LIMITS, receiver)
  } catch {
    return undefined
  }
  return { parts, model }
}

async function modelOf(headers: Headers, body: FileBytes): Promise<string | undefined> {
  if (!(headers.get("content-type") ?? "").includes("json")) return undefined
  const scanner = new JsonScanner()
  for await (const chunk of chunksOf(body)) scanner.push(chunk)
  return scanner.model
}
