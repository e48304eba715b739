import { resolve } from "node:path"
import { type Secret, section, setting } from "../declare.ts"
import { wholeAddress } from "../addresses.ts"
import type { Output } from "../reading.ts"
import { duration, flag, megabytes, text, wholeNumber } from "../scalars.ts"
import { describeHeaders, HEADER_SECRET } from "../secret-forms.ts"
import { entry, headers } from "../shapes.ts"
import { BUCKET, BUCKET_SECRET } from "./bucket.ts"

/** A file that receives the request log. */
const lineFile = entry(
  {
    /** Absolute path of the file. */
    path: text(),
    /** Size at which the file is rotated. */
    rotateBytes: megabytes(1, 1_048_576).orElse("100"),
    /** Maximum number of rotated files that are kept. */
    keep: wholeNumber(0, 100_000).orElse("10"),
  },
  { rotateBytes: "rotate_mb" },
)

export type LineFileSettings = Output<typeof lineFile>

/** An address that receives the request log. It may contain a secret. */
const lineAddress = entry(
  {
    url: wholeAddress(),
    /** Whether the address may be in a private network. */
    allowsPrivate: flag().orElse("false"),
    isCompressed: flag().orElse("true"),
    /** Flush interval in milliseconds. */
    every: duration().orElse("5s"),
    /** Additional headers. Values may be secret, and are never printed. */
    headers: headers()
      .nullish()
      .transform((table) => table ?? {}),
  },
  { allowsPrivate: "private", isCompressed: "gzip" },
)

export type LineAddressSettings = Output<typeof lineAddress>

/** A bucket that receives the request log. */
const lineBucket = entry(
  {
    ...BUCKET,
    /** Prefix of object names, empty or with a trailing slash. */
    prefix: text().optional(),
    /** Whether the bucket may be in a private network. */
    allowsPrivate: flag().orElse("false"),
    /** Flush interval in milliseconds. */
    every: duration().orElse("5m"),
  },
  { allowsPrivate: "private" },
).transform(({ prefix = "", allowsPrivate, every, ...place }) => {
  const parts = prefix.split("/").filter((part) => part !== "")
  return { place, prefix: parts.map((part) => `${part}/`).join(""), allowsPrivate, every }
})

export type LineBucketSettings = Output<typeof lineBucket>

const ADDRESS_SECRET: Secret<LineAddressSettings> = {
  textsOf: ({ url, headers }) => [url, ...HEADER_SECRET.textsOf(headers)],
  describe: (address) => address && describeAddress(address),
}

/** Describes an address by its host only, because it may contain a secret. */
function describeAddress({ url, headers, ...open }: LineAddressSettings) {
  return { ...open, host: URL.parse(url)?.host ?? "", headers: describeHeaders(headers) }
}

const LINE_BUCKET_SECRET: Secret<LineBucketSettings> = {
  textsOf: ({ place }) => BUCKET_SECRET.textsOf(place),
  describe: (bucket) => bucket && { ...bucket, place: BUCKET_SECRET.describe(bucket.place) },
}

/** The destinations of the request log. */
export const LOG = section(
  "log",
  {
    requests: setting(flag(), {
      needsRestart: true,
      default: "false",
      documentation: "whether each request has a [line in the log](../run/request-log.md)",
    }),
    /** Maximum pending bytes of each sink in each process. */
    queueBytes: setting(megabytes(1, 1_024), {
      name: "queue_mb",
      needsRestart: true,
      default: "16",
      documentation:
        "maximum size of pending lines for each sink, in each process; further lines are [dropped and counted](../run/request-log.md#common-behaviour-of-all-sinks)",
    }),
    file: setting(lineFile, {
      isNullable: true,
      needsRestart: true,
      otherwise: "none",
      documentation:
        "a [file](../run/request-log.md#file) to which request lines are appended: `{ path, rotate_mb: 100, keep: 10 }`",
    }),
    http: setting(lineAddress, {
      isNullable: true,
      needsRestart: true,
      secret: ADDRESS_SECRET,
      otherwise: "none",
      documentation:
        "an [HTTP endpoint](../run/request-log.md#http-endpoint) to which request lines are posted: `{ url, headers, private: false, gzip: true, every: 5s }`",
    }),
    bucket: setting(lineBucket, {
      name: "s3",
      isNullable: true,
      needsRestart: true,
      secret: LINE_BUCKET_SECRET,
      otherwise: "none",
      documentation:
        "a [bucket](../run/request-log.md#bucket) in which request lines are stored: `{ bucket, region, endpoint, prefix, access_key_id, secret_access_key, private: false, every: 5m }`",
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
