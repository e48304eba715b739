import { crc32 } from "node:zlib"

/** Reads an archive of uncompressed files by its directory, and checks the checksum of each file. */
export function filesIn(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(Buffer.from("PK\u0005\u0006"))
  const count = archive.readUInt16LE(end + 10)
  let at = archive.readUInt32LE(end + 16)
  const files = new Map<string, string>()
  for (let index = 0; index < count; index++) {
    const checksum = archive.readUInt32LE(at + 16)
    const size = archive.readUInt32LE(at + 24)
    const nameLength = archive.readUInt16LE(at + 28)
    const extraLength = archive.readUInt16LE(at + 30)
    const offset = archive.readUInt32LE(at + 42)
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength)
    const start = offset + 30 + nameLength
    const bytes = archive.subarray(start, start + size)
    if (crc32(bytes) !== checksum) throw new Error(`the file ${name} is damaged`)
    files.set(name, bytes.toString())
    at += 46 + nameLength + extraLength
  }
  return files
}
