import { GatewayError } from "../../canon/errors.ts"
import { type FileHead, fileTooLarge, type FormFile } from "../../canon/form-file.ts"
import { StoredFile } from "../../media/stored-file.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import { FormError, type FilePart, type FormReceiver, readMultipart } from "../../wire/multipart.ts"
import type { BodyWatch } from "../read-body.ts"
import { incomingChunks, type Pace } from "../incoming-body.ts"
import { rejectEncoding } from "../unpacked-body.ts"
import { ChunkBuffers } from "./chunk-buffers.ts"
import { FormFields, plainName } from "./form-fields.ts"
import {
  FIELD_LIMITS,
  type FileRules,
  rejectionOf,
  rejectLarge,
  requireForm,
  ruleOf,
} from "./form-rules.ts"
import type { Spool, SpooledWrite } from "./spool.ts"
import type { SpooledBytes } from "./spooled-bytes.ts"

/** Minimum bytes of a long file. Shorter files arrive before their processing could start. */
const MIN_LONG_FILE_BYTES = 1024 * 1024
/** Memory in bytes for reading a form, regardless of its content. */
const READING_BYTES = 128 * 1024

export interface FormReading {
  readonly spool: Spool
  readonly rules: FileRules
  readonly pace: Pace
  /** Accounts for the parts of the form that are in memory. */
  readonly memory: Reservation
  /** Checks the request while the form arrives; may be absent for small forms. */
  readonly watch?: BodyWatch
}

/** A complete form. Its files are deleted when the memory of its request is released. */
export interface Form {
  readonly files: readonly FormFile[]
  readonly fields: FormFields
  /** Size of the complete body as received, in bytes. */
  readonly bytes: number
}

/** The beginning of a form whose last part is a long file. */
export interface LongFile {
  /** The announced length of the complete body in bytes. */
  readonly bytes: number
  readonly fields: FormFields
  /** The long file, on the assumption that no other part follows it. */
  readonly file: FormFile
}

export class FormReader implements FormReceiver {
  readonly #request: Request
  readonly #reading: FormReading
  readonly #type: string
  /** The announced length of the complete body in bytes. */
  readonly #announced: number | undefined
  readonly #chunks = new ChunkBuffers()
  readonly #longFile = Promise.withResolvers<LongFile>()
  #bytes = 0
  readonly #fields = new FormFields()
  /** The files in order of arrival. They may be stored in a different order. */
  readonly #files: (FormFile | undefined)[] = []
  readonly #counts = new Map<string, number>()
  readonly #spooled: SpooledBytes[] = []
  /** The check of the model while it waits for the ledger. */
  #named: Promise<void> | undefined

  /** @throws GatewayError if the form cannot be read. */
  constructor(request: Request, reading: FormReading) {
    const { headers } = request
    const length = headers.get("content-length")
    this.#request = request
    this.#reading = reading
    this.#type = headers.get("content-type") ?? ""
    this.#announced = length === null ? undefined : Number(length)
    requireForm(this.#type)
    rejectEncoding(headers)
    if (this.#announced !== undefined) rejectLarge(this.#announced, reading.rules)
    reading.memory.takeBody(Math.min(READING_BYTES, this.#announced ?? Infinity))
  }

  /** Resolves with the beginning of a long file. Never resolves if there is no long file of known length. */
  get longFile(): Promise<LongFile> {
    return this.#longFile.promise
  }

  /**
   * Reads the form. It is called once.
   * @throws GatewayError. Nothing is stored in this case.
   */
  async read(): Promise<Form> {
    const { watch, memory } = this.#reading
    try {
      await watch?.begins()
      await readMultipart(this.#incoming(), this.#type, FIELD_LIMITS, this)
      await this.#named
    } catch (error) {
      await closeAll(this.#spooled)
      throw error instanceof FormError ? rejectionOf(error) : error
    }
    // A failure to close an unlinked file has no consequences.
    memory.defer(() => void closeAll(this.#spooled).catch(() => {}))
    const files = this.#files.filter((file) => file !== undefined)
    return { files, fields: this.#fields, bytes: this.#bytes }
  }

  async *#incoming(): AsyncGenerator<Uint8Array> {
    const { rules, pace } = this.#reading
    try {
      for await (const chunk of incomingChunks(this.#request, pace)) {
        this.#bytes += chunk.byteLength
        rejectLarge(this.#bytes, rules)
        this.#chunks.add(chunk)
        yield chunk
      }
    } catch (error) {
      // A caller that disconnects during an upload is not a failure of the gateway.
      throw error instanceof GatewayError ? error : new FormError("broken", undefined, error)
    }
  }

  field(name: string, value: string): void {
    const { rules, memory, watch } = this.#reading
    const plain = plainName(name)
    this.#fields.add(name, value)
    if (name === "model" && watch !== undefined && this.#named === undefined) {
      this.#named = Promise.resolve(watch.named(value))
      // The error is reported where the check is awaited.
      this.#named.catch(() => {})
    }
    memory.takeBody(value.length)
    if (Object.hasOwn(rules, plain)) {
      throw invalidValue(plain, `The field '${plain}' must be a file with a filename.`)
    }
  }

  async file(part: FilePart, content: AsyncIterable<Uint8Array>): Promise<void> {
    const { spool, rules, memory } = this.#reading
    await this.#named
    const head = { ...part, field: plainName(part.field) }
    const count = (this.#counts.get(head.field) ?? 0) + 1
    this.#counts.set(head.field, count)
    const { bytes: limit } = ruleOf(head.field, count, rules)
    const place = this.#files.push(undefined) - 1
    await using draft = spool.create(memory)
    for await (const view of this.#chunks.views(content)) {
      if (view.byteLength === 0) continue
      if (draft.size === 0) await this.#begin(draft, { head, limit, first: view })
      if (draft.size + view.byteLength > limit) throw fileTooLarge(head.field, limit)
      await draft.add(view)
    }
    const kept = draft.finish()
    this.#spooled.push(kept)
    // Browsers send such an empty part if the user chose no file.
    if (kept.size === 0 && head.name === "") return
    this.#files[place] = new StoredFile(head, kept)
  }

  /** Resolves `longFile` with the first file, if its length is known. */
  async #begin(draft: SpooledWrite, { head, limit, first }: Beginning): Promise<void> {
    const bytes = this.#announced
    const position = this.#chunks.positionOf(first)
    if (bytes === undefined || position === undefined || this.#files.length > 1) return
    const size = bytes - position - closingBytes(this.#type)
    if (size <= MIN_LONG_FILE_BYTES || size > limit) return
    const file = new StoredFile(head, await draft.readAhead(size))
    this.#longFile.resolve({ bytes, fields: this.#fields.copy(), file })
  }
}

interface Beginning {
  readonly head: FileHead
  /** Maximum bytes of the file. */
  readonly limit: number
  readonly first: Uint8Array
}

/** Returns the number of bytes after the last file of a form, in the format that all common clients use. */
function closingBytes(type: string): number {
  const [, quoted, plain = ""] = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(type) ?? []
  return Buffer.byteLength(`\r\n--${quoted ?? plain}--\r\n`)
}

async function closeAll(spooled: readonly SpooledBytes[]): Promise<void> {
  await Promise.all(spooled.map((bytes) => bytes[Symbol.asyncDispose]()))
}
