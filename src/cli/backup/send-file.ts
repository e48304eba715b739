import { open } from "node:fs/promises"
import type { Bucket, BucketUpload } from "../../wire/bucket/bucket.ts"

/** Part size of a large file, unless this would result in too many parts. */
const MIN_PART_BYTES = 16 * 1024 * 1024
/** Maximum number of parts that a bucket accepts. */
const MAX_PARTS = 10_000
const MAX_CONCURRENT_PARTS = 4

/**
 * Sends a file to a bucket in small parts.
 * @throws BucketError. The bucket then stores no part of the file.
 */
export async function sendFile(bucket: Bucket, key: string, path: string): Promise<void> {
  await using file = await open(path, "r")
  const { size } = await file.stat()
  const partSize = Math.max(MIN_PART_BYTES, Math.ceil(size / MAX_PARTS))
  const read = async (number: number): Promise<Uint8Array<ArrayBuffer>> => {
    const from = (number - 1) * partSize
    const bytes = new Uint8Array(Math.min(partSize, size - from))
    for (let done = 0; done < bytes.length;) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, from + done)
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was sent`)
      done += bytesRead
    }
    return bytes
  }
  if (size <= partSize) return await bucket.put(key, await read(1))
  const upload = await bucket.beginUpload(key)
  try {
    await sendParts(bucket, upload, { read, count: Math.ceil(size / partSize) })
    await bucket.endUpload(upload)
  } catch (error) {
    await bucket.abortUpload(upload).catch(() => undefined)
    throw error
  }
}

interface FileParts {
  readonly read: (number: number) => Promise<Uint8Array<ArrayBuffer>>
  readonly count: number
}

async function sendParts(
  bucket: Bucket,
  upload: BucketUpload,
  { read, count }: FileParts,
): Promise<void> {
  let next = 1
  const senders = Array.from({ length: MAX_CONCURRENT_PARTS }, async () => {
    while (next <= count) {
      const number = next++
      const bytes = await read(number)
      try {
        await bucket.putPart(upload, number, bytes)
      } catch (error) {
        // Stops the other concurrent senders.
        next = count + 1
        throw error
      }
    }
  })
  const results = await Promise.allSettled(senders)
  const failed = results.find((result) => result.status === "rejected")
  if (failed) throw failed.reason
}
