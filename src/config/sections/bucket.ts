import type { Secret } from "../declare.ts"
import { address, placeName } from "../addresses.ts"
import type { Output } from "../reading.ts"
import { secret, text } from "../scalars.ts"
import { entry } from "../shapes.ts"

/** The members of an S3-compatible bucket. */
export const BUCKET = {
  bucket: text(),
  /** If absent, Amazon's own endpoint. */
  endpoint: address().optional(),
  region: placeName("us-east-1").optional(),
  /** The access key. Never printed, like the secret key. */
  accessKeyId: secret(),
  secretAccessKey: secret(),
}

export const bucket = entry(BUCKET)

export type BucketSettings = Output<typeof bucket>

export const BUCKET_SECRET: Secret<BucketSettings> = {
  textsOf: ({ accessKeyId, secretAccessKey }) => [accessKeyId, secretAccessKey],
  describe: (settings) => settings && { ...settings, accessKeyId: "set", secretAccessKey: "set" },
}
