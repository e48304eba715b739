import { makeZip } from "client-zip"

/** A file of an archive. */
export interface ArchivedFile {
  readonly name: string
  /** Unix milliseconds. */
  readonly modifiedAt: number
  readonly chunks: AsyncIterable<string>
}

/**
 * Writes a ZIP archive without compression. Files are read one after the other while the archive is read, so that
 * archives need little memory. Closing the archive early closes the current file.
 */
export async function* zipped(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  const reader = makeZip(inputs(files)).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // The library throws the reason into `inputs`.
    await reader.cancel(new Error("The archive was closed.")).catch(() => {})
  }
}

async function* inputs(files: AsyncIterable<ArchivedFile>) {
  for await (const { name, modifiedAt, chunks } of files) {
    const contents = filled(chunks)
    try {
      yield { name, lastModified: modifiedAt, input: contents }
    } finally {
      await contents.return()
    }
  }
}

/** Omits empty chunks, which the library takes for the end of a file. */
async function* filled(chunks: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const chunk of chunks) if (chunk !== "") yield chunk
}
