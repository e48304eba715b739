export interface OutgoingFile {
  readonly field: string
  readonly name: string
  readonly type: string
  /** Size in bytes. */
  readonly size: number
  /** Returns the content from the start. A chunk may become invalid when the next one is requested. */
  open(): ReadableStream<Uint8Array>
}

/** An encoded form, which can be sent several times. */
export interface EncodedForm {
  /** The content type, including the boundary. */
  readonly contentType: string
  /** Total size in bytes. */
  readonly size: number
  open(): ReadableStream<Uint8Array>
}

export type OutgoingField = readonly [name: string, value: string]

/** Builds a form with the fields first and then the files. A file is only read while it is sent. */
export function encodeForm(
  fields: readonly OutgoingField[],
  files: readonly OutgoingFile[],
): EncodedForm {
  const boundary = `tollgate-${crypto.randomUUID()}`
  const texts = fields.map(([name, value]) =>
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
    ),
  )
  const heads = files.map((file) => Buffer.from(headOf(file, boundary)))
  const tail = Buffer.from(`--${boundary}--\r\n`)
  const size =
    lengthOf(texts) + lengthOf(heads) + sum(files.map((file) => file.size + 2)) + tail.length
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.concat(texts)
    for (const [index, file] of files.entries()) {
      yield heads[index] ?? new Uint8Array()
      yield* file.open()
      yield LINE_END
    }
    yield tail
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    size,
    open: () => streamOf(chunks()),
  }
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return(undefined)
      },
    },
    // The next chunk is requested only after the previous one has been sent.
    { highWaterMark: 0 },
  )
}

const LINE_END = Buffer.from("\r\n")

function headOf({ field, name, type }: OutgoingFile, boundary: string): string {
  const disposition = `form-data; name="${quoted(field)}"; filename="${quoted(name)}"`
  return `--${boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${type}\r\n\r\n`
}

/** Escapes quotes and line breaks in names in the same way as browsers. */
function quoted(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  return sum(chunks.map((chunk) => chunk.byteLength))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
