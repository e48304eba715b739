import { resolve } from "node:path"
import {
  address,
  duration,
  flag,
  number,
  placeName,
  secret,
  text,
  wholeAddress,
} from "./scalars.ts"
import type { BucketSettings } from "./bucket-settings.ts"

/** A file that lines of requests are appended to. */
export interface LineFileSettings {
  /** Absolute. */
  readonly path: string
  /** A file that has reached this size is put away and a new one begun. */
  readonly rotateBytes: number
  /** How many of those put away are kept. */
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
  /** How long lines wait for others that are sent with them, milliseconds. */
  readonly every: number
}

/** A bucket that lines of requests are stored in. */
export interface LineBucketSettings {
  readonly place: BucketSettings
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  /** Whether it may be in a private network. */
  readonly allowsPrivate: boolean
  /** How long lines wait for others that are stored with them, milliseconds. */
  readonly every: number
}

/** Where the line of each request goes. */
export interface LogSettings {
  /** Whether each request has a line in the log. */
  readonly requests: boolean
  /** What each sink may have waiting in each process, in bytes. */
  readonly queueBytes: number
  /** Absent: none. */
  readonly file?: LineFileSettings
  readonly http?: LineAddressSettings
  readonly bucket?: LineBucketSettings
}

const MEBIBYTE = 1024 * 1024
const QUEUE = 16
const ROTATE = 100
const KEEP = 10
const HTTP_EVERY = 5_000
const BUCKET_EVERY = 300_000

/** The plain names under `log` in the file. */
export const logScalars = {
  requests: flag().optional(),
  queue_mb: number(1, 1_024).optional(),
}

/** The names under `log.file`. */
export const lineFileScalars = {
  path: text(),
  rotate_mb: number(1, 1_048_576).optional(),
  keep: number(0, 100_000, "whole number").optional(),
}

/** The names under `log.http`, apart from `headers`. */
export const lineAddressScalars = {
  url: wholeAddress(),
  private: flag().optional(),
  gzip: flag().optional(),
  every: duration().optional(),
}

/** The names under `log.s3`. */
export const lineBucketScalars = {
  bucket: text(),
  endpoint: address().optional(),
  region: placeName("us-east-1").optional(),
  access_key_id: secret(),
  secret_access_key: secret(),
  prefix: text().optional(),
  private: flag().optional(),
  every: duration().optional(),
}

interface FileSection {
  readonly path: string
  readonly rotate_mb?: number | undefined
  readonly keep?: number | undefined
}

interface AddressSection {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | null | undefined
  readonly private?: boolean | undefined
  readonly gzip?: boolean | undefined
  readonly every?: number | undefined
}

interface BucketSection {
  readonly bucket: string
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly prefix?: string | undefined
  readonly private?: boolean | undefined
  readonly every?: number | undefined
}

interface FileLog {
  readonly requests?: boolean | undefined
  readonly queue_mb?: number | undefined
  readonly file?: FileSection | null | undefined
  readonly http?: AddressSection | null | undefined
  readonly s3?: BucketSection | null | undefined
}

/**
 * The parsed section of the file.
 * @param directory what a relative path is relative to.
 */
export function logSettings(section: FileLog | null | undefined, directory: string): LogSettings {
  const { requests = false, queue_mb = QUEUE, file, http, s3 } = section ?? {}
  return {
    requests,
    queueBytes: Math.round(queue_mb * MEBIBYTE),
    ...(file && { file: fileSettings(file, directory) }),
    ...(http && { http: addressSettings(http) }),
    ...(s3 && { bucket: bucketSettings(s3) }),
  }
}

function fileSettings({ path, rotate_mb, keep }: FileSection, directory: string): LineFileSettings {
  return {
    path: resolve(directory, path),
    rotateBytes: Math.round((rotate_mb ?? ROTATE) * MEBIBYTE),
    keep: keep ?? KEEP,
  }
}

function addressSettings(section: AddressSection): LineAddressSettings {
  return {
    url: section.url,
    headers: section.headers ?? {},
    allowsPrivate: section.private ?? false,
    isCompressed: section.gzip ?? true,
    every: section.every ?? HTTP_EVERY,
  }
}

function bucketSettings(section: BucketSection): LineBucketSettings {
  const { bucket, endpoint, region, prefix = "" } = section
  const parts = prefix.split("/").filter((part) => part !== "")
  return {
    place: {
      bucket,
      ...(endpoint !== undefined && { endpoint }),
      ...(region !== undefined && { region }),
      accessKeyId: section.access_key_id,
      secretAccessKey: section.secret_access_key,
    },
    prefix: parts.map((part) => `${part}/`).join(""),
    allowsPrivate: section.private ?? false,
    every: section.every ?? BUCKET_EVERY,
  }
}
