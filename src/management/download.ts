/** Characters. */
const CHUNK = 16 * 1024

/** A file to download, chunk by chunk: it may be long. */
export interface Download {
  readonly name: string
  readonly contentType: string
  readonly chunks: AsyncIterable<string>
}

/** Lines are short: to send each alone costs more than to write it. */
export async function* gathered(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ""
  for await (const line of lines) {
    chunk += line
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ""
  }
  if (chunk !== "") yield chunk
}
