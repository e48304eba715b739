import { crc32, inflateRawSync } from "node:zlib"

/** The signatures of the directory's record, of the local header and of the descriptor. */
const MARKS = [0x02014b50, 0x04034b50, 0x08074b50].join(" ")

/** Reads an archive by its directory, and checks the local header and the checksum of each file. */
export function filesIn(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(Buffer.from("PK\u0005\u0006"))
  const end64 = archive.lastIndexOf(Buffer.from("PK\u0006\u0006"))
  const isLarge = archive.readUInt16LE(end + 10) === 0xffff
  const count = isLarge
    ? Number(archive.readBigUInt64LE(end64 + 32))
    : archive.readUInt16LE(end + 10)
  let at = isLarge ? Number(archive.readBigUInt64LE(end64 + 48)) : archive.readUInt32LE(end + 16)
  const files = new Map<string, string>()
  for (let index = 0; index < count; index++) {
    const checksum = archive.readUInt32LE(at + 16)
    const packed = archive.readUInt32LE(at + 20)
    const size = archive.readUInt32LE(at + 24)
    const nameLength = archive.readUInt16LE(at + 28)
    const extraLength = archive.readUInt16LE(at + 30)
    const offset = archive.readUInt32LE(at + 42)
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength)
    const start = offset + 30 + nameLength
    const bytes = inflateRawSync(archive.subarray(start, start + packed))
    const marks = [at, offset, start + packed].map((place) => archive.readUInt32LE(place))
    const isWhole = crc32(bytes) === checksum && bytes.byteLength === size
    if (!isWhole || marks.join(" ") !== MARKS) throw new Error(`the file ${name} is damaged`)
    files.set(name, bytes.toString())
    at += 46 + nameLength + extraLength
  }
  return files
}
