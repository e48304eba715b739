import { pipeline, Readable } from "node:stream"
import { crc32, createDeflateRaw, deflateRawSync } from "node:zlib"

/** A file of an archive. */
export interface ZipFile {
  readonly name: string
  /** Unix milliseconds. */
  readonly modifiedAt: number
  readonly chunks: AsyncIterable<string>
}

/** The record of a file in the directory at the end of an archive. */
interface ZipEntry {
  readonly name: Buffer
  readonly modified: number
  readonly checksum: number
  readonly size: number
  readonly compressedSize: number
  /** Position of the file in the archive. */
  readonly offset: number
}

const LOCAL_HEADER = 0x04034b50
const DATA_DESCRIPTOR = 0x08074b50
const DIRECTORY_HEADER = 0x02014b50
const END = 0x06054b50
const END_64 = 0x06064b50
const END_64_LOCATOR = 0x07064b50
const VERSION = 20
/** The version that reads positions above 4 GB. */
const VERSION_64 = 45
/** The sizes follow the contents, and the name is UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8
const MAX_32 = 0xffffffff
const MAX_16 = 0xffff
const EXTRA_64 = 1
/** Contents below this length are compressed at once. */
const SHORT_BYTES = 64 * 1024

/**
 * Writes a ZIP archive (APPNOTE 6.3). Files are read one after the other and compressed while they arrive, so that
 * archives need little memory.
 * @throws RangeError if a file has 4 GB or more.
 */
export async function* zipped(files: AsyncIterable<ZipFile>): AsyncGenerator<Uint8Array> {
  const entries: ZipEntry[] = []
  let offset = 0
  for await (const file of files) {
    const name = Buffer.from(file.name)
    const modified = dosTime(file.modifiedAt)
    const header = localHeader(name, modified)
    yield header
    const content = new MeasuredContent(file.chunks)
    let compressedSize = 0
    for await (const chunk of content.deflated()) {
      compressedSize += chunk.byteLength
      yield chunk
    }
    const { checksum, size } = content
    if (size >= MAX_32 || compressedSize >= MAX_32) {
      throw new RangeError(`the file '${file.name}' has 4 GB or more`)
    }
    entries.push({ name, modified, checksum, size, compressedSize, offset })
    const descriptor = dataDescriptor(checksum, compressedSize, size)
    yield descriptor
    offset += header.byteLength + compressedSize + descriptor.byteLength
  }
  const directory = entries.map(directoryHeader)
  yield* directory
  const directorySize = directory.reduce((sum, { byteLength }) => sum + byteLength, 0)
  yield endOf(entries.length, directorySize, offset)
}

/** The contents of a file, with the checksum and the size of the part that was read. */
class MeasuredContent {
  readonly #chunks: AsyncIterable<string>
  checksum = 0
  size = 0

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks
  }

  /** Yields the compressed contents. Short contents are compressed at once, because a stream takes longer. */
  async *deflated(): AsyncGenerator<Uint8Array> {
    const bytes = this.#bytes()
    const begun: Buffer[] = []
    while (this.size < SHORT_BYTES) {
      const { done, value } = await bytes.next()
      if (done === true) return yield deflateRawSync(Buffer.concat(begun))
      begun.push(value)
    }
    const deflate = createDeflateRaw()
    // `yield*` throws the errors of the pipeline.
    pipeline(Readable.from(concatenated(begun, bytes), { objectMode: false }), deflate, () => {})
    yield* deflate
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#chunks) {
      const bytes = Buffer.from(chunk)
      this.checksum = crc32(bytes, this.checksum)
      this.size += bytes.byteLength
      yield bytes
    }
  }
}

async function* concatenated(begun: readonly Buffer[], rest: AsyncIterable<Buffer>) {
  yield* begun
  yield* rest
}

function localHeader(name: Buffer, modified: number): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(LOCAL_HEADER, 0)
  header.writeUInt16LE(VERSION, 4)
  header.writeUInt16LE(FLAGS, 6)
  header.writeUInt16LE(DEFLATED, 8)
  header.writeUInt32LE(modified, 10)
  header.writeUInt16LE(name.byteLength, 26)
  return Buffer.concat([header, name])
}

function dataDescriptor(checksum: number, compressedSize: number, size: number): Buffer {
  const descriptor = Buffer.alloc(16)
  descriptor.writeUInt32LE(DATA_DESCRIPTOR, 0)
  descriptor.writeUInt32LE(checksum, 4)
  descriptor.writeUInt32LE(compressedSize, 8)
  descriptor.writeUInt32LE(size, 12)
  return descriptor
}

function directoryHeader(entry: ZipEntry): Buffer {
  const { name, modified, checksum, size, compressedSize, offset } = entry
  const isFar = offset >= MAX_32
  const extra = Buffer.alloc(isFar ? 12 : 0)
  if (isFar) {
    extra.writeUInt16LE(EXTRA_64, 0)
    extra.writeUInt16LE(8, 2)
    extra.writeBigUInt64LE(BigInt(offset), 4)
  }
  const header = Buffer.alloc(46)
  const version = isFar ? VERSION_64 : VERSION
  header.writeUInt32LE(DIRECTORY_HEADER, 0)
  header.writeUInt16LE(version, 4)
  header.writeUInt16LE(version, 6)
  header.writeUInt16LE(FLAGS, 8)
  header.writeUInt16LE(DEFLATED, 10)
  header.writeUInt32LE(modified, 12)
  header.writeUInt32LE(checksum, 16)
  header.writeUInt32LE(compressedSize, 20)
  header.writeUInt32LE(size, 24)
  header.writeUInt16LE(name.byteLength, 28)
  header.writeUInt16LE(extra.byteLength, 30)
  header.writeUInt32LE(isFar ? MAX_32 : offset, 42)
  return Buffer.concat([header, name, extra])
}

function endOf(count: number, directorySize: number, offset: number): Buffer {
  const isLarge = count >= MAX_16 || directorySize >= MAX_32 || offset >= MAX_32
  const end = Buffer.alloc(22)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(Math.min(count, MAX_16), 8)
  end.writeUInt16LE(Math.min(count, MAX_16), 10)
  end.writeUInt32LE(Math.min(directorySize, MAX_32), 12)
  end.writeUInt32LE(Math.min(offset, MAX_32), 16)
  return isLarge ? Buffer.concat([largeEndOf(count, directorySize, offset), end]) : end
}

/** Returns the end of an archive with many files or positions above 4 GB. */
function largeEndOf(count: number, directorySize: number, offset: number): Buffer {
  const end = Buffer.alloc(76)
  end.writeUInt32LE(END_64, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(VERSION_64, 12)
  end.writeUInt16LE(VERSION_64, 14)
  end.writeBigUInt64LE(BigInt(count), 24)
  end.writeBigUInt64LE(BigInt(count), 32)
  end.writeBigUInt64LE(BigInt(directorySize), 40)
  end.writeBigUInt64LE(BigInt(offset), 48)
  end.writeUInt32LE(END_64_LOCATOR, 56)
  end.writeBigUInt64LE(BigInt(offset + directorySize), 64)
  end.writeUInt32LE(1, 72)
  return end
}

/** Converts a time to the date and time of MS-DOS in UTC, as one number. Its resolution is two seconds. */
function dosTime(at: number): number {
  const date = new Date(at)
  const year = Math.max(1980, date.getUTCFullYear()) - 1980
  const day = (year << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const time =
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return ((day << 16) | time) >>> 0
}
