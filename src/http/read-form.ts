import { GatewayError } from "../canon/errors.ts"
import { type FileHead, fileTooLarge, FormFile } from "../canon/form-file.ts"
import { invalidValue } from "../canon/invalid-request.ts"
import type { JsonObject, JsonValue } from "../canon/json.ts"
import { FormError, type FilePart, type FormLimits, readMultipart } from "../wire/multipart.ts"
import type { Reservation } from "../limits/memory-budget.ts"
import { incomingPieces, type Pace, USUAL_PACE } from "./incoming-body.ts"
import { refuseEncoding } from "./unpacked-body.ts"
import { PassingPieces } from "./passing-pieces.ts"
import type { Foretold, Spool, SpooledBytes } from "./spool.ts"

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

/** A file of a form that is still coming, and what of the form came before it. */
export interface ArrivingFile {
  /** It can be read as it comes. Its size is what it comes to when nothing follows it in the form. */
  readonly file: FormFile
  /** Whether all of it has come. */
  readonly isHere: () => boolean
  /** The whole body as it was announced, in bytes. */
  readonly bytes: number
  /** The fields that came before it, as in a `Form`. */
  parameters(kinds: Readonly<Record<string, FieldKind>>): JsonObject
}

/** On which terms a form is read. */
export interface FormTerms {
  /** Takes what of the form is kept in memory. */
  readonly memory?: Reservation
  readonly pace?: Pace
  /** Told of a long first file when it begins to come, if the sender says how much there is. */
  readonly onArriving?: (arriving: ArrivingFile) => void
}

/** Files that are shorter have come before anything could be made of it. Bytes. */
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
  const { memory, pace = USUAL_PACE, onArriving } = terms
  const type = request.headers.get("content-type") ?? ""
  if (!FORM.test(type)) throw notForm(type)
  refuseEncoding(request.headers)
  const limit = bodyLimit(rules)
  const announced = request.headers.get("content-length")
  if (announced !== null && Number(announced) > limit) throw bodyTooLarge(rules, limit)
  const arrival =
    onArriving && announced !== null
      ? { bytes: Number(announced), tail: tailOf(type), tell: onArriving }
      : undefined
  memory?.takeBody(Math.min(READING_BYTES, announced === null ? Infinity : Number(announced)))
  await using reading = new FormReading({ spool, rules, arrival, memory })
  try {
    const incoming = incomingPieces(request, pace)
    await readMultipart(counted(incoming, reading, limit), type, LIMITS, reading)
  } catch (error) {
    throw error instanceof FormError ? refusalOf(error) : error
  }
  return reading.finish()
}

const LIMITS: FormLimits = { fields: MOST_FIELDS, fieldBytes: LONGEST_FIELD }

/** Its files at their largest, and its fields. */
function bodyLimit(rules: FileRules): number {
  return Object.values(rules).reduce((sum, { count, bytes }) => sum + count * bytes, ALL_FIELDS)
}

async function* counted(
  incoming: AsyncIterable<Uint8Array>,
  reading: FormReading,
  limit: number,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of incoming) {
      reading.bytes += piece.byteLength
      if (reading.bytes > limit) throw bodyTooLarge(reading.rules, limit)
      reading.pieces.came(piece)
      yield piece
    }
  } catch (error) {
    // A caller who leaves while they send is no failure of ours.
    throw error instanceof GatewayError ? error : new FormError("broken", undefined, error)
  }
}

/** Bytes behind the last file of a form: its end, as all usual clients write it. */
function tailOf(type: string): number {
  const [, quoted, plain = ""] = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(type) ?? []
  return Buffer.byteLength(`\r\n--${quoted ?? plain}--\r\n`)
}

/** What is needed to tell of a file that begins to come. */
interface Arrival {
  readonly bytes: number
  readonly tail: number
  readonly tell: (arriving: ArrivingFile) => void
}

interface ReadingParts {
  readonly spool: Spool
  readonly rules: FileRules
  readonly arrival: Arrival | undefined
  readonly memory: Reservation | undefined
}

/** A form while it is read. */
class FormReading implements AsyncDisposable {
  readonly rules: FileRules
  readonly pieces = new PassingPieces()
  bytes = 0
  readonly #spool: Spool
  readonly #arrival: Arrival | undefined
  readonly #memory: Reservation | undefined
  readonly #fields: [name: string, value: string][] = []
  /** In the order in which they came, which is not that in which they were kept. */
  readonly #files: (FormFile | undefined)[] = []
  readonly #counts = new Map<string, number>()
  #fieldBytes = 0
  #spooled: SpooledBytes[] = []

  constructor({ spool, rules, arrival, memory }: ReadingParts) {
    this.#spool = spool
    this.rules = rules
    this.#arrival = arrival
    this.#memory = memory
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
    if (Object.hasOwn(this.rules, plain)) {
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
    const views = this.pieces.taken(content)
    const first = await views.next()
    const foretold = first.done ? undefined : this.#foretell(head, first.value, limit)
    const check = (size: number): void => {
      if (size > limit) throw fileTooLarge(head.field, limit)
    }
    const keeping = { check, foretold, memory: this.#memory }
    const kept = await this.#spool.keep(resumed(first, views), keeping)
    this.#spooled.push(kept)
    // What browsers send for a file that nobody chose.
    if (kept.size === 0 && head.name === "") return
    this.#files[place] = new FormFile(head, kept)
  }

  finish(): Form {
    const spooled = this.#spooled
    this.#spooled = []
    const fields = this.#fields
    return {
      files: this.#files.filter((file) => file !== undefined),
      bytes: this.bytes,
      parameters: (kinds) => parametersOf(fields, kinds),
      [Symbol.asyncDispose]: () => disposeAll(spooled),
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return disposeAll(this.#spooled)
  }

  /** How long a file will be if it is the only one and nothing follows it. */
  #foretell(head: FileHead, first: Uint8Array, limit: number): Foretold | undefined {
    const position = this.pieces.positionOf(first)
    if (!this.#arrival || position === undefined || this.#files.length > 1) return undefined
    const { bytes, tail, tell } = this.#arrival
    const size = bytes - position - tail
    if (size <= LONG_FILE || size > limit) return undefined
    const fields = [...this.#fields]
    return {
      size,
      arriving: (content) =>
        tell({
          file: new FormFile(head, content),
          isHere: () => content.isHere,
          bytes,
          parameters: (kinds) => parametersOf(fields, kinds),
        }),
    }
  }

  #ruleOf({ field }: FileHead): FileRule {
    const rule = Object.hasOwn(this.rules, field) ? this.rules[field] : undefined
    if (!rule) {
      const known = Object.keys(this.rules).map((name) => `'${name}'`)
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

async function* resumed(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (first.done) return
    yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
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
