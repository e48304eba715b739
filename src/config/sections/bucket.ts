import type { Secret } from "../declare.ts"
import { address, placeName, secret, text } from "../scalars.ts"
import { present } from "../shapes.ts"

/** An S3-compatible bucket. */
export interface BucketSettings {
  readonly bucket: string
  /** Absent: Amazon's own. */
  readonly endpoint?: string
  readonly region?: string
  /** Never printed; nor is the next one. */
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** The names of a bucket in the file. */
export const BUCKET_SHAPE = {
  bucket: text(),
  endpoint: address().optional(),
  region: placeName("us-east-1").optional(),
  access_key_id: secret(),
  secret_access_key: secret(),
}

interface FileBucket {
  readonly bucket: string
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly access_key_id: string
  readonly secret_access_key: string
}

export function buildBucket(file: FileBucket): BucketSettings {
  return present({
    bucket: file.bucket,
    endpoint: file.endpoint,
    region: file.region,
    accessKeyId: file.access_key_id,
    secretAccessKey: file.secret_access_key,
  })
}

export const BUCKET_SECRET: Secret<BucketSettings> = {
  textsOf: ({ accessKeyId, secretAccessKey }) => [accessKeyId, secretAccessKey],
  describe: (bucket) => bucket && { ...bucket, accessKeyId: "set", secretAccessKey: "set" },
}
