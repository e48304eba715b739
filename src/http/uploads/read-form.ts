import { GatewayError } from "../../canon/errors.ts"
import { type FileHead, fileTooLarge, FormFile } from "../../canon/form-file.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { FormError, type FilePart, type FormLimits, readMultipart } from "../../wire/multipart.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import { incomingPieces, type Pace, USUAL_PACE } from "../incoming-body.ts"
import { refuseEncoding } from "../unpacked-body.ts"
import { PassingPieces } from "./chunk-buffers.ts"
import type { Spool, SpoolDraft, SpooledBytes } from "./spool.ts"

/** The files an endpoint takes, by field. */
export type FileRules = Readonly<Record<string, FileRule>>

export interface FileRule {
  readonly count: number
  /** Of each. */
  readonly bytes: number
}

/** How a field's text is to be understood; text itself when not named. */
export type FieldKind = "number" | "flag" | "list"

/** A form that has been read. Its files are gone when it is disposed of. */
export interface Form extends AsyncDisposable {
  readonly files: readonly FormFile[]
  /** The whole body as it came, in bytes. */
  readonly bytes: number
  /**
   * The fields as the members of a JSON body, so that they can be judged like one: text that is no
   * number stays text.
   * @throws GatewayError `invalid_value` where a field that is no list was given twice.
   */
  parameters(kinds: Readonly<Record<string, FieldKind>>): JsonObject
}

/** A form of which the end may still be missing. Its files are gone when it is disposed of, and all of it has come. */
export interface UploadInProgress extends AsyncDisposable {
  /** The whole body, in bytes: as announced, or as it came. */
  readonly bytes: number
  /** A long file that is still arriving, as it will be if nothing follows it; absent: the form is complete. */
  readonly file?: FormFile
  /** The fields that have arrived, as in a `Form`. */
  parameters(kinds: Readonly<Record<string, FieldKind>>): JsonObject
  /** Rejects as `readForm` does. */
  readonly completed: Promise<Form>
}

/** On which terms a form is read. */
export interface FormTerms {
  /** Takes what of the form is kept in memory. */
  readonly memory?: Reservation
  readonly pace?: Pace
}

/** Files that are shorter have arrived before anything could be begun with them. Bytes. */
const LONG_FILE = 1024 * 1024

const FORM = /^multipart\/form-data\s*(;|$)/i
/** Fields of all kinds that no form of an API has more of. */
const MOST_FIELDS = 128
/** Bytes of one value: a prompt, or a short sample of a voice as a data URL. */
const LONGEST_FIELD = 1024 * 1024
/** Bytes of all values together; they are kept in memory. */
const ALL_FIELDS = 4 * 1024 * 1024
/** What a form takes while it is read, whatever is in it. Bytes. */
const READING_BYTES = 128 * 1024
/** A field's name is repeated in a message up to here. */
const LONGEST_NAME = 100

/**
 * Reads a form, its files into the spool. What is over a limit stops being read.
 * @throws GatewayError `unsupported_media_type`, `invalid_value`, `file_too_large`, `body_too_large`, `overloaded`.
 */
export async function readForm(
  request: Request,
  spool: Spool,
  rules: FileRules,
  terms: FormTerms = {},
): Promise<Form> {
  return await new FormReader(request, spool, rules, terms).read()
}

/**
 * Reads a form as `readForm` does, but waits for no more of it than the beginning of a long file, where the sender
 * says how much there is.
 * @throws GatewayError as `readForm` does.
 */
export async function receiveUpload(
  request: Request,
  spool: Spool,
  rules: FileRules,
  terms: FormTerms = {},
): Promise<UploadInProgress> {
  const reader = new FormReader(request, spool, rules, terms)
  const completed = reader.read()
  // It is heard of where the form is waited for, which may be later.
  completed.catch(() => {})
  const { bytes, parameters, file } = await Promise.race([reader.longFile, completed.then(ofForm)])
  return {
    bytes,
    ...(file && { file }),
    parameters,
    completed,
    async [Symbol.asyncDispose]() {
      const form = await completed.catch(() => undefined)
      await form?.[Symbol.asyncDispose]()
    },
  }
}

function ofForm({ bytes, parameters }: Form): Received {
  return { bytes, parameters }
}

const LIMITS: FormLimits = { fields: MOST_FIELDS, fieldBytes: LONGEST_FIELD }

/** Its files at their largest, and its fields. */
function bodyLimit(rules: FileRules): number {
  return Object.values(rules).reduce((sum, { count, bytes }) => sum + count * bytes, ALL_FIELDS)
}

/** Bytes behind the last file of a form: its end, as all usual clients write it. */
function tailOf(type: string): number {
  const [, quoted, plain = ""] = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(type) ?? []
  return Buffer.byteLength(`\r\n--${quoted ?? plain}--\r\n`)
}

/** What has been received of a form. */
type Received = Pick<UploadInProgress, "bytes" | "file" | "parameters">

/** Reads one form. */
class FormReader {
  readonly #request: Request
  readonly #spool: Spool
  readonly #rules: FileRules
  readonly #memory: Reservation | undefined
  readonly #pace: Pace
  /** Of the whole body, its end behind the last file, and what it may come to; in bytes. */
  readonly #announced: number | undefined
  readonly #tail: number
  readonly #limit: number
  readonly #begun = Promise.withResolvers<Received>()
  readonly #pieces = new PassingPieces()
  #bytes = 0
  readonly #fields: [name: string, value: string][] = []
  /** In the order in which they came, which is not that in which they were kept. */
  readonly #files: (FormFile | undefined)[] = []
  readonly #counts = new Map<string, number>()
  #fieldBytes = 0
  readonly #spooled: SpooledBytes[] = []

  /** @throws GatewayError where nothing of the form is to be read. */
  constructor(
    request: Request,
    spool: Spool,
    rules: FileRules,
    { memory, pace = USUAL_PACE }: FormTerms,
  ) {
    const type = request.headers.get("content-type") ?? ""
    if (!FORM.test(type)) throw notForm(type)
    refuseEncoding(request.headers)
    const announced = request.headers.get("content-length")
    this.#request = request
    this.#spool = spool
    this.#rules = rules
    this.#memory = memory
    this.#pace = pace
    this.#limit = bodyLimit(rules)
    this.#tail = tailOf(type)
    this.#announced = announced === null ? undefined : Number(announced)
    if (this.#announced !== undefined) this.#checkSize(this.#announced)
    memory?.takeBody(Math.min(READING_BYTES, this.#announced ?? Infinity))
  }

  /** The beginning of a long file; pending for good where there is none whose length is known. */
  get longFile(): Promise<Received> {
    return this.#begun.promise
  }

  /** Called once. */
  async read(): Promise<Form> {
    try {
      const type = this.#request.headers.get("content-type") ?? ""
      await readMultipart(this.#incoming(), type, LIMITS, this)
    } catch (error) {
      await disposeAll(this.#spooled)
      throw error instanceof FormError ? refusalOf(error) : error
    }
    const fields = this.#fields
    return {
      files: this.#files.filter((file) => file !== undefined),
      bytes: this.#bytes,
      parameters: (kinds) => parametersOf(fields, kinds),
      [Symbol.asyncDispose]: () => disposeAll(this.#spooled),
    }
  }

  async *#incoming(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of incomingPieces(this.#request, this.#pace)) {
        this.#bytes += piece.byteLength
        this.#checkSize(this.#bytes)
        this.#pieces.came(piece)
        yield piece
      }
    } catch (error) {
      // A caller who leaves while they send is no failure of ours.
      throw error instanceof GatewayError ? error : new FormError("broken", undefined, error)
    }
  }

  #checkSize(bytes: number): void {
    if (bytes > this.#limit) throw bodyTooLarge(this.#rules, this.#limit)
  }

  field(name: string, value: string): void {
    this.#fieldBytes += name.length + value.length
    if (this.#fieldBytes > ALL_FIELDS) {
      throw new GatewayError(
        "body_too_large",
        "The fields of the form are longer than 4 MB together.",
      )
    }
    this.#memory?.takeBody(value.length)
    const plain = plainName(name)
    if (Object.hasOwn(this.#rules, plain)) {
      throw invalidValue(
        plain,
        `The field '${plain}' has to be a file: it came without a filename.`,
      )
    }
    this.#fields.push([name, value])
  }

  async file(part: FilePart, content: AsyncIterable<Uint8Array>): Promise<void> {
    const head = { ...part, field: plainName(part.field) }
    const { bytes: limit } = this.#ruleOf(head)
    const place = this.#files.push(undefined) - 1
    await using draft = this.#spool.create(this.#memory)
    for await (const piece of this.#pieces.taken(content)) {
      if (piece.byteLength === 0) continue
      if (draft.size === 0) await this.#begin(head, draft, piece)
      if (draft.size + piece.byteLength > limit) throw fileTooLarge(head.field, limit)
      await draft.add(piece)
    }
    const kept = draft.finish()
    this.#spooled.push(kept)
    // What browsers send for a file that nobody chose.
    if (kept.size === 0 && head.name === "") return
    this.#files[place] = new FormFile(head, kept)
  }

  /** Tells of the first file when its first piece is here, if it is known how long it will be. */
  async #begin(head: FileHead, draft: SpoolDraft, first: Uint8Array): Promise<void> {
    const bytes = this.#announced
    const position = this.#pieces.positionOf(first)
    if (bytes === undefined || position === undefined || this.#files.length > 1) return
    // As long as that if it is the only one and nothing follows it.
    const size = bytes - position - this.#tail
    if (size <= LONG_FILE || size > (this.#rules[head.field]?.bytes ?? 0)) return
    const file = new FormFile(head, await draft.readAhead(size))
    const fields = [...this.#fields]
    this.#begun.resolve({ bytes, file, parameters: (kinds) => parametersOf(fields, kinds) })
  }

  #ruleOf({ field }: FileHead): FileRule {
    const rule = Object.hasOwn(this.#rules, field) ? this.#rules[field] : undefined
    if (!rule) {
      const known = Object.keys(this.#rules).map((name) => `'${name}'`)
      const shown = field.slice(0, LONGEST_NAME)
      throw invalidValue(
        shown,
        `There is no file '${shown}' here: files go into ${known.join(", ")}.`,
      )
    }
    const count = (this.#counts.get(field) ?? 0) + 1
    this.#counts.set(field, count)
    if (count > rule.count) {
      const most = rule.count === 1 ? "one file" : `at most ${rule.count} files`
      throw invalidValue(field, `The field '${field}' takes ${most}.`)
    }
    return rule
  }
}

async function disposeAll(spooled: readonly SpooledBytes[]): Promise<void> {
  await Promise.all(spooled.map((bytes) => bytes[Symbol.asyncDispose]()))
}

/** Arrays are written `image[]` or `image[0]` (WIRE.md trap 10). */
function plainName(name: string): string {
  return name.replace(/\[\d*\]$/, "")
}

function parametersOf(
  fields: readonly (readonly [name: string, value: string])[],
  kinds: Readonly<Record<string, FieldKind>>,
): JsonObject {
  const parameters = Object.create(null) as JsonObject
  for (const [name, text] of fields) {
    const plain = plainName(name)
    const kind = Object.hasOwn(kinds, plain) ? kinds[plain] : undefined
    const before = parameters[plain]
    if (kind === "list" || plain !== name) {
      parameters[plain] = [...(Array.isArray(before) ? before : []), text]
    } else if (before !== undefined) {
      const shown = plain.slice(0, LONGEST_NAME)
      throw invalidValue(shown, `The field '${shown}' was given more than once.`)
    } else if (text !== "") {
      // An empty field is one that was left out, as forms have it.
      parameters[plain] = understood(text, kind)
    }
  }
  return parameters
}

function understood(text: string, kind: FieldKind | undefined): JsonValue {
  if (kind === "flag") return text === "true" ? true : text === "false" ? false : text
  if (kind !== "number" || !/^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/.test(text)) return text
  return Number(text)
}

function notForm(type: string): GatewayError {
  const other = type === "" ? "" : `, not '${type.slice(0, LONGEST_NAME)}'`
  return new GatewayError(
    "unsupported_media_type",
    `The body has to be a form: send 'content-type: multipart/form-data'${other}.`,
  )
}

/** Where there is one file alone, it is the one that is too large. */
function bodyTooLarge(rules: FileRules, limit: number): GatewayError {
  const [only, ...others] = Object.entries(rules)
  if (only && others.length === 0 && only[1].count === 1)
    return fileTooLarge(only[0], only[1].bytes)
  return new GatewayError(
    "body_too_large",
    `The form is larger than ${Math.floor(limit / 1024 / 1024)} MB.`,
  )
}

function refusalOf({ fault, field = "" }: FormError): GatewayError {
  const shown = field.slice(0, LONGEST_NAME)
  switch (fault) {
    case "no-boundary":
      return new GatewayError(
        "unsupported_media_type",
        "The content type of the form names no boundary. Let the client library write that header.",
      )
    case "broken":
      return new GatewayError("invalid_value", "The form ended before it was whole, or is no form.")
    case "unnamed-field":
      return new GatewayError("invalid_value", "The form has a field without a name.")
    case "too-many-fields":
      return new GatewayError("invalid_value", `The form has more than ${MOST_FIELDS} fields.`)
    case "field-too-long":
      return new GatewayError(
        "string_above_max_length",
        `The field '${shown}' is longer than ${LONGEST_FIELD} bytes.`,
        { parameter: shown },
      )
  }
}
