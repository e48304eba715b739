/** A file to be put into a form. */
export interface OutgoingFile {
  readonly field: string
  readonly name: string
  readonly type: string
  /** Bytes. */
  readonly size: number
  /** From the beginning, again each time. A chunk may be gone when the next one is asked for. */
  open(): ReadableStream<Uint8Array>
}

/** A form ready to be sent, as often as it has to be. */
export interface EncodedForm {
  /** With the boundary. */
  readonly contentType: string
  /** Bytes of the whole. */
  readonly size: number
  open(): ReadableStream<Uint8Array>
}

/** A field and its value, in the order in which they are sent. */
export type OutgoingField = readonly [name: string, value: string]

/** Puts a form together: its fields first, then its files. Nothing of a file is read before it is sent. */
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
    // A chunk is asked for only when the one before it has been sent.
    { highWaterMark: 0 },
  )
}

const LINE_END = Buffer.from("\r\n")

function headOf({ field, name, type }: OutgoingFile, boundary: string): string {
  const disposition = `form-data; name="${quoted(field)}"; filename="${quoted(name)}"`
  return `--${boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${type}\r\n\r\n`
}

/** As browsers write names that would end the quotes or the line. */
function quoted(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  return sum(chunks.map((chunk) => chunk.byteLength))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
