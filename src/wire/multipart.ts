import type { BusboyInstance } from "@fastify/busboy"
import type { Readable } from "node:stream"

/** The limits of a form. A form that exceeds one is not read to its end. */
export interface FormLimits {
  /** Fields, files and other parts. */
  readonly parts: number
  /** Fields that are not files. */
  readonly fields: number
  /** Bytes of the value of one field. */
  readonly fieldBytes: number
}

/** A part's description of its file. */
export interface FilePart {
  readonly field: string
  /** The sender's name for it, without folders; empty if there is none. */
  readonly name: string
  /** `text/plain` if the sender did not name a type. */
  readonly type: string
}

/** Receives the parts of a form as they arrive. If it throws, reading ends. */
export interface FormReceiver {
  field(name: string, value: string): void
  /** @param content must be read to its end before more of the form arrives. */
  file(part: FilePart, content: AsyncIterable<Uint8Array>): Promise<void>
}

/** The reasons for rejecting a form. */
export type FormFault =
  | "no-boundary"
  | "broken"
  | "unnamed-field"
  | "too-many-fields"
  | "too-many-parts"
  | "field-too-long"

/** The error of a form that cannot be parsed, or exceeds a limit. */
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

/** Maximum bytes of a part's headers, which are a name and a type. */
const PART_HEADERS = 8 * 1024
const PART_HEADER_COUNT = 20

/**
 * Reads a form while it arrives, without buffering it, and only as fast as its files are read.
 * @param contentType of the body, with the boundary.
 * @throws FormError, and errors of the receiver or the body.
 */
export async function readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  limits: FormLimits,
  receiver: FormReceiver,
): Promise<void> {
  const failure = Promise.withResolvers<never>()
  // Each await below races with it. A failure between two awaits is found by the next one.
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

/** The parser's event for a file; a part can lack all names. */
type FileEvent = [
  field: string | undefined,
  content: Readable,
  name: string | undefined,
  encoding: string,
  type: string,
]

/** Opens the parser. Its module is loaded with the first form, to keep the start fast. */
async function openParser(contentType: string, limits: FormLimits): Promise<BusboyInstance> {
  const { Busboy } = await import("@fastify/busboy")
  const { parts, fields, fieldBytes } = limits
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      // The parser reads one view of a chunk at a time: several would be copied together.
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
    // Thrown through the parser, which would otherwise parse the rest of its chunk.
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
    // The parser reports a broken file here. Without a listener, the error would end the process.
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
