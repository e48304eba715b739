import { resolve } from "node:path"
import { type Secret, section, setting } from "../declare.ts"
import { duration, flag, megabytes, number, text, wholeAddress } from "../scalars.ts"
import { describeHeaders, HEADER_SECRET } from "../secret-forms.ts"
import { headers, strict } from "../shapes.ts"
import { BUCKET_SECRET, BUCKET_SHAPE, type BucketSettings, buildBucket } from "./bucket.ts"

/** A file that lines of requests are appended to. */
export interface LineFileSettings {
  /** Absolute. */
  readonly path: string
  /** A file of this size is rotated. */
  readonly rotateBytes: number
  /** Maximum rotated files that are kept. */
  readonly keep: number
}

/** An address that lines of requests are posted to. It may hold a secret. */
export interface LineAddressSettings {
  readonly url: string
  /** Further headers. Values may be secret, and are never printed. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether it may be in a private network. */
  readonly allowsPrivate: boolean
  readonly isCompressed: boolean
  /** Flush interval, milliseconds. */
  readonly every: number
}

/** A bucket that lines of requests are stored in. */
export interface LineBucketSettings {
  readonly place: BucketSettings
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  /** Whether it may be in a private network. */
  readonly allowsPrivate: boolean
  /** Flush interval, milliseconds. */
  readonly every: number
}

const ROTATE_BYTES = 100 * 1024 * 1024
const KEPT_FILES = 10
const HTTP_INTERVAL_MS = 5_000
const BUCKET_INTERVAL_MS = 300_000

const lineFile = strict({
  path: text(),
  rotate_mb: megabytes(1, 1_048_576).optional(),
  keep: number(0, 100_000, "whole number").optional(),
}).transform(
  ({ path, rotate_mb: rotateBytes = ROTATE_BYTES, keep = KEPT_FILES }): LineFileSettings => ({
    path,
    rotateBytes,
    keep,
  }),
)

const lineAddress = strict({
  url: wholeAddress(),
  private: flag().optional(),
  gzip: flag().optional(),
  every: duration().optional(),
  headers: headers().nullish(),
}).transform((file): LineAddressSettings => ({
  url: file.url,
  headers: file.headers ?? {},
  allowsPrivate: file.private ?? false,
  isCompressed: file.gzip ?? true,
  every: file.every ?? HTTP_INTERVAL_MS,
}))

const lineBucket = strict({
  ...BUCKET_SHAPE,
  prefix: text().optional(),
  private: flag().optional(),
  every: duration().optional(),
}).transform(({ prefix = "", ...file }): LineBucketSettings => {
  const parts = prefix.split("/").filter((part) => part !== "")
  return {
    place: buildBucket(file),
    prefix: parts.map((part) => `${part}/`).join(""),
    allowsPrivate: file.private ?? false,
    every: file.every ?? BUCKET_INTERVAL_MS,
  }
})

const ADDRESS_SECRET: Secret<LineAddressSettings> = {
  textsOf: ({ url, headers }) => [url, ...HEADER_SECRET.textsOf(headers)],
  describe: (address) => address && describeAddress(address),
}

/** Shows only the host of an address, which may hold a secret. */
function describeAddress({ url, headers, ...open }: LineAddressSettings) {
  return { ...open, host: URL.parse(url)?.host ?? "", headers: describeHeaders(headers) }
}

const LINE_BUCKET_SECRET: Secret<LineBucketSettings> = {
  textsOf: ({ place }) => BUCKET_SECRET.textsOf(place),
  describe: (bucket) => bucket && { ...bucket, place: BUCKET_SECRET.describe(bucket.place) },
}

/** Where the line of each request is written. */
export const LOG = section(
  "log",
  {
    requests: setting(flag(), {
      needsRestart: true,
      default: "false",
      documentation: "whether each request has a [line in the log](request-log.md)",
    }),
    /** Maximum bytes that each sink may have pending in each process. */
    queueBytes: setting(megabytes(1, 1_024), {
      name: "queue_mb",
      needsRestart: true,
      default: "16",
      documentation:
        "how many lines may be pending for each sink, in each process; further lines are [dropped and counted](request-log.md#what-all-sinks-have-in-common)",
    }),
    file: setting(lineFile, {
      isNullable: true,
      needsRestart: true,
      otherwise: "none",
      documentation:
        "a [file](request-log.md#into-a-file) that these lines are appended to: `{ path, rotate_mb: 100, keep: 10 }`",
    }),
    http: setting(lineAddress, {
      isNullable: true,
      needsRestart: true,
      secret: ADDRESS_SECRET,
      otherwise: "none",
      documentation:
        "an [address](request-log.md#to-an-address) that they are posted to: `{ url, headers, private: false, gzip: true, every: 5s }`",
    }),
    bucket: setting(lineBucket, {
      name: "s3",
      isNullable: true,
      needsRestart: true,
      secret: LINE_BUCKET_SECRET,
      otherwise: "none",
      documentation:
        "a [bucket](request-log.md#in-a-bucket) that they are stored in: `{ bucket, region, endpoint, prefix, access_key_id, secret_access_key, private: false, every: 5m }`",
    }),
  },
  {
    build: ({ file, ...rest }, { fileDirectory }) => ({
      ...rest,
      ...(file && { file: { ...file, path: resolve(fileDirectory, file.path) } }),
    }),
  },
)

export type LogSettings = ReturnType<typeof LOG.build>
