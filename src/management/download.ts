const CHUNK_LENGTH = 16 * 1024

/** A file to download. It may be long, so it is sent in chunks. */
export interface Download {
  readonly name: string
  readonly contentType: string
  readonly chunks: AsyncIterable<string | Uint8Array>
  /** The content security policy of a page that the browser shows instead of saving it; absent for a file. */
  readonly pagePolicy?: string
}

/** Returns the chunks of a short file. */
export async function* oneChunk(text: string): AsyncGenerator<string> {
  yield text
}

/** Joins lines into chunks, because sending a line takes longer than creating it. */
export async function* gathered(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ""
  for await (const line of lines) {
    chunk += line
    if (chunk.length < CHUNK_LENGTH) continue
    yield chunk
    chunk = ""
  }
  if (chunk !== "") yield chunk
}
