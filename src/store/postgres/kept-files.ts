import { rm } from "node:fs/promises"
import type { FileKind, KeptFile, KeptFiles } from "../kept-files.ts"
import type { PostgresClient } from "./client.ts"

/** Bytes of a file in one row. This is also the maximum that is in memory at once. */
export const CHUNK = 512 * 1024
/** Maximum rows that one step of a sweep deletes. */
const SWEEP_BATCH = 100n
/**
 * Maximum bytes of all images. If it is exceeded, images that expire first are deleted. For responses, the settings
 * define a limit.
 */
const MAX_BYTES: Readonly<Record<FileKind, bigint | undefined>> = {
  responses: undefined,
  images: 8n * 1024n * 1024n * 1024n,
}

interface FileRow {
  readonly file: string
  readonly size: bigint
}

/** Returns a part of a file. */
type Source = (start: number, end: number) => Promise<Uint8Array>

/**
 * Stores files in rows of chunks. A file gets its name when all chunks are stored. Chunks of incomplete files are
 * deleted when the file would have expired. All times use the database's clock.
 */
export class PostgresFiles implements KeptFiles {
  readonly #client: PostgresClient
  readonly #kind: FileKind
  readonly #maxBytes: bigint | undefined

  /** @param room maximum bytes of all files of this kind. */
  constructor(client: PostgresClient, kind: FileKind, room = MAX_BYTES[kind]) {
    this.#client = client
    this.#kind = kind
    this.#maxBytes = room
  }

  async write(name: string, bytes: Uint8Array, lifetime: number): Promise<void> {
    const source: Source = async (start, end) => bytes.subarray(start, end)
    await this.#write({ name, size: bytes.byteLength, lifetime }, source)
  }

  async adopt(name: string, path: string, lifetime: number): Promise<void> {
    const file = Bun.file(path)
    await this.#write({ name, size: file.size, lifetime }, (start, end) =>
      file.slice(start, end).bytes(),
    )
    await rm(path, { force: true })
  }

  async open(name: string): Promise<KeptFile | undefined> {
    const row = await this.#client.row<FileRow>(
      "SELECT file, size FROM kept_files WHERE kind = $1 AND name = $2 AND expires_at > tollgate_now()",
      [this.#kind, name],
    )
    return row ? new ChunkedFile(this.#client, row) : undefined
  }

  async remove(name: string): Promise<void> {
    await this.#client.run(
      `WITH gone AS (DELETE FROM kept_files WHERE kind = $1 AND name = $2 RETURNING file)
       DELETE FROM kept_file_chunks USING gone WHERE kept_file_chunks.file = gone.file`,
      [this.#kind, name],
    )
  }

  async sweep(): Promise<void> {
    await this.#repeat(
      `DELETE FROM kept_files WHERE (kind, name) IN (
         SELECT kind, name FROM kept_files WHERE expires_at <= (SELECT tollgate_now())
         LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    )
    await this.#repeat(
      `DELETE FROM kept_file_chunks WHERE (file, number) IN (
         SELECT file, number FROM kept_file_chunks WHERE expires_at <= (SELECT tollgate_now())
         LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    )
    if (this.#maxBytes === undefined) return
    const beyond = await this.#client.rows<{ name: string }>(
      `SELECT name FROM (
         SELECT name, sum(size) OVER (ORDER BY expires_at DESC, name) AS total
         FROM kept_files WHERE kind = $1
       ) AS files WHERE total > $2`,
      [this.#kind, this.#maxBytes],
    )
    for (const { name } of beyond) await this.remove(name)
  }

  async #write(
    { name, size, lifetime }: { name: string; size: number; lifetime: number },
    source: Source,
  ): Promise<void> {
    const file = crypto.randomUUID()
    const time = BigInt(Math.ceil(lifetime))
    for (let number = 0; number * CHUNK < size; number++) {
      const content = await source(number * CHUNK, (number + 1) * CHUNK)
      await this.#client.run(
        `INSERT INTO kept_file_chunks (file, number, expires_at, content)
         VALUES ($1, $2, tollgate_now() + $3, $4) ON CONFLICT (file, number) DO NOTHING`,
        [file, BigInt(number), time, content],
      )
    }
    await this.#client.run(
      `WITH replaced AS (
         DELETE FROM kept_file_chunks USING kept_files
         WHERE kind = $1 AND name = $2 AND kept_files.file <> $3 AND kept_file_chunks.file = kept_files.file
       )
       INSERT INTO kept_files (kind, name, file, size, expires_at) VALUES ($1, $2, $3, $4, tollgate_now() + $5)
       ON CONFLICT (kind, name) DO UPDATE SET file = excluded.file, size = excluded.size,
         expires_at = excluded.expires_at`,
      [this.#kind, name, file, BigInt(size), time],
    )
  }

  /** Repeats a statement until it deletes no more rows. */
  async #repeat(statement: string): Promise<void> {
    while ((await this.#client.run(statement, [SWEEP_BATCH])) > 0);
  }
}

class ChunkedFile implements KeptFile {
  readonly size: number
  readonly #client: PostgresClient
  readonly #file: string
  /** The chunk that was read last. Sequential reads continue in it. */
  #last: { readonly number: number; readonly content: Uint8Array } | undefined

  constructor(client: PostgresClient, { file, size }: FileRow) {
    this.#client = client
    this.#file = file
    this.size = Number(size)
  }

  async read(start: number, length: number): Promise<Uint8Array> {
    if (start >= this.size) return new Uint8Array()
    const number = Math.floor(start / CHUNK)
    if (this.#last?.number !== number) {
      this.#last = { number, content: await this.#chunk(number) }
    }
    const first = start - number * CHUNK
    return this.#last.content.subarray(first, first + length)
  }

  body(): ReadableStream<Uint8Array> {
    let number = 0
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (number * CHUNK >= this.size) return controller.close()
          controller.enqueue(await this.#chunk(number++))
        },
      },
      { highWaterMark: 0 },
    )
  }

  /**
   * Reads a chunk.
   * @throws Error if the file was deleted in the meantime.
   */
  async #chunk(number: number): Promise<Uint8Array> {
    const row = await this.#client.row<{ content: Buffer }>(
      "SELECT content FROM kept_file_chunks WHERE file = $1 AND number = $2",
      [this.#file, BigInt(number)],
    )
    if (!row) throw new Error("a stored file was deleted while it was read")
    return row.content
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#last = undefined
  }
}
