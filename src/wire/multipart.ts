import type { BusboyInstance } from "@fastify/busboy"
import type { Readable } from "node:stream"

/** How much of a form is accepted. A form over a limit is not read to its end. */
export interface FormLimits {
  /** Fields, files, and parts that are neither. */
  readonly parts: number
  /** Fields that are not files. */
  readonly fields: number
  /** Bytes of the value of one field. */
  readonly fieldBytes: number
}

/** What a part says about its file. */
export interface FilePart {
  readonly field: string
  /** The sender's name for it, without folders; empty when there is none. */
  readonly name: string
  /** `text/plain` when the sender gave none. */
  readonly type: string
}

/** Receives the parts of a form as they arrive. If it throws, reading ends. */
export interface FormReceiver {
  field(name: string, value: string): void
  /** @param content has to be read to its end before more of the form arrives. */
  file(part: FilePart, content: AsyncIterable<Uint8Array>): Promise<void>
}

/** Why a form cannot be read. */
export type FormFault =
  | "no-boundary"
  | "broken"
  | "unnamed-field"
  | "too-many-fields"
  | "too-many-parts"
  | "field-too-long"

/** A form that cannot be parsed, or exceeds a limit. */
export class FormError extends Error {
  override readonly name = "FormError"
  readonly fault: FormFault
  /** The invalid field, if it is a single one. */
  readonly field: string | undefined

  constructor(fault: FormFault, field?: string, cause?: unknown) {
    super(fault, cause === undefined ? undefined : { cause })
    this.fault = fault
    this.field = field
  }
}

/** The headers of a part are a name and a type: no honest client sends more. Bytes. */
const PART_HEADERS = 8 * 1024
const PART_HEADER_COUNT = 20

/**
 * Reads a form while it arrives: nothing of it is buffered here, and it is read only as fast as its files are.
 * @param contentType the body's, with the boundary.
 * @throws FormError, and what the receiver or the body throws.
 */
export async function readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  limits: FormLimits,
  receiver: FormReceiver,
): Promise<void> {
  const failure = Promise.withResolvers<never>()
  // Each wait below is raced against it; the next wait sees a failure between two of them.
  failure.promise.catch(() => {})
  const files: OpenFile[] = []
  const parser = await openParser(contentType, limits)
  listen(parser, receiver, files, failure.reject)
  try {
    // The first failure within a chunk is reported.
    for await (const chunk of body) await Promise.race([failure.promise, write(parser, chunk)])
    await Promise.race([end(parser), failure.promise])
    await Promise.race([Promise.all(files.map((file) => file.received)), failure.promise])
  } finally {
    parser.destroy()
    for (const { content } of files) content.destroy()
    await Promise.all(files.map((file) => file.received))
  }
}

/** A file of the form. `received` resolves when the receiver has read all of it, or has stopped. */
interface OpenFile {
  readonly content: Readable
  readonly received: Promise<void>
}

/** What the parser reports of a file; a part can lack all names. */
type FileEvent = [
  field: string | undefined,
  content: Readable,
  name: string | undefined,
  encoding: string,
  type: string,
]

/** The parser is loaded with the first form: a start needs none. */
async function openParser(contentType: string, limits: FormLimits): Promise<BusboyInstance> {
  const { Busboy } = await import("@fastify/busboy")
  const { parts, fields, fieldBytes } = limits
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      // One view of a chunk is read at a time: several would be copied together.
      fileHwm: 1,
      limits: {
        parts,
        fields,
        fieldSize: fieldBytes,
        headerPairs: PART_HEADER_COUNT,
        headerSize: PART_HEADERS,
      },
    })
  } catch (error) {
    throw new FormError("no-boundary", undefined, error)
  }
}

function listen(
  parser: BusboyInstance,
  receiver: FormReceiver,
  files: OpenFile[],
  fail: (reason: unknown) => void,
): void {
  parser.on("error", (error) => fail(new FormError("broken", undefined, error)))
  parser.on("partsLimit", () => {
    // Thrown through the parser, which otherwise reads the rest of its chunk.
    throw new FormError("too-many-parts")
  })
  parser.on("fieldsLimit", () => fail(new FormError("too-many-fields")))
  parser.on("field", (name: string | undefined, value, _, isCut) => {
    if (name === undefined) return fail(new FormError("unnamed-field"))
    if (isCut) return fail(new FormError("field-too-long", name))
    try {
      receiver.field(name, value)
    } catch (error) {
      fail(error)
    }
  })
  parser.on("file", (...[name, content, fileName, , type]: FileEvent) => {
    // The parser reports a broken file here; without a listener it would also end the process.
    content.on("error", () => {})
    if (name === undefined) return fail(new FormError("unnamed-field"))
    const received = receiver.file({ field: name, name: fileName ?? "", type }, content).catch(fail)
    files.push({ content, received })
  })
}

function write(parser: BusboyInstance, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    parser.write(chunk, () => resolve())
  })
}

function end(parser: BusboyInstance): Promise<void> {
  return new Promise((resolve) => {
    parser.once("finish", () => resolve())
    parser.end()
  })
}
