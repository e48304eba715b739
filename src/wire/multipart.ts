import type { BusboyInstance } from "@fastify/busboy"
import type { Readable } from "node:stream"

/** The limits of a form. A form that exceeds a limit is not read to its end. */
export interface FormLimits {
  /** Maximum number of parts: fields, files and others. */
  readonly parts: number
  /** Maximum number of fields that are not files. */
  readonly fields: number
  /** Maximum bytes of the value of a field. */
  readonly fieldBytes: number
}

/** The description of a file in a part of a form. */
export interface FilePart {
  readonly field: string
  /** The file name that the sender gave, without folders; empty if there is none. */
  readonly name: string
  /** The content type; `text/plain` if the sender did not state a type. */
  readonly type: string
}

/** Receives the parts of a form as they arrive. If it throws, reading ends. */
export interface FormReceiver {
  field(name: string, value: string): void
  /**
   * Receives a file.
   * @param content the bytes of the file, which must be read to their end before more of the form arrives.
   */
  file(part: FilePart, content: AsyncIterable<Uint8Array>): Promise<void>
}

export type FormFault =
  | "no-boundary"
  | "broken"
  | "unnamed-field"
  | "too-many-fields"
  | "too-many-parts"
  | "field-too-long"

/** The error for a form that cannot be parsed, or that exceeds a limit. */
export class FormError extends Error {
  override readonly name = "FormError"
  readonly fault: FormFault
  /** The invalid field; undefined if the error does not concern a single field. */
  readonly field: string | undefined

  constructor(fault: FormFault, field?: string, cause?: unknown) {
    super(fault, cause === undefined ? undefined : { cause })
    this.fault = fault
    this.field = field
  }
}

/** The headers of a part contain only a name and a type. */
const MAX_PART_HEADER_BYTES = 8 * 1024
const PART_HEADER_COUNT = 20

/**
 * Reads a form while it arrives, without buffering it, and only as fast as its files are read.
 * @param contentType the content type of the body, with the boundary.
 * @throws FormError, and errors of the receiver or the body.
 */
export async function readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  limits: FormLimits,
  receiver: FormReceiver,
): Promise<void> {
  const failure = Promise.withResolvers<never>()
  // Prevents an unhandled rejection between two awaits. Each await below also waits for this promise.
  failure.promise.catch(() => {})
  const files: OpenFile[] = []
  const parser = await openParser(contentType, limits)
  listen(parser, receiver, files, failure.reject)
  try {
    // If several failures occur within a chunk, the first one is reported.
    for await (const chunk of body) await Promise.race([failure.promise, write(parser, chunk)])
    await Promise.race([end(parser), failure.promise])
    await Promise.race([Promise.all(files.map((file) => file.received)), failure.promise])
  } finally {
    parser.destroy()
    for (const { content } of files) content.destroy()
    await Promise.all(files.map((file) => file.received))
  }
}

/** A file that is being read. `received` resolves when the receiver has read all of the file, or has stopped. */
interface OpenFile {
  readonly content: Readable
  readonly received: Promise<void>
}

/** The arguments of the parser's event for a file. The names may be missing. */
type FileEvent = [
  field: string | undefined,
  content: Readable,
  name: string | undefined,
  encoding: string,
  type: string,
]

/** Creates the parser. Its module is loaded with the first form, so that it does not slow down startup. */
async function openParser(contentType: string, limits: FormLimits): Promise<BusboyInstance> {
  const { Busboy } = await import("@fastify/busboy")
  const { parts, fields, fieldBytes } = limits
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      // The parser provides one view of a chunk at a time, because several views would be copied together.
      fileHwm: 1,
      limits: {
        parts,
        fields,
        fieldSize: fieldBytes,
        headerPairs: PART_HEADER_COUNT,
        headerSize: MAX_PART_HEADER_BYTES,
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
    // The error is thrown through the parser, which would otherwise parse the rest of its chunk.
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
    // The parser reports a truncated file as an error of its content. Without a listener, the error would end the
    // process.
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
