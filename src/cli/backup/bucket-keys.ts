import type { Environment } from "../../config/substitute.ts"
import type { BucketAddress } from "../../wire/bucket/bucket-address.ts"
import { CommandError } from "../exit-codes.ts"

/** Amazon's own names of variables, and those of a bucket alone, which take precedence. */
const PREFIXES = ["S3", "AWS"] as const

/**
 * A bucket with what the environment says of it. The parts of a key belong together: a session token is used with the key
 * that stands next to it, and with no other.
 * @throws CommandError if there are no keys.
 */
export function bucketOf(bucket: string, environment: Environment): BucketAddress {
  const named = (prefix: string, name: string): string | undefined =>
    environment[`${prefix}_${name}`] || undefined
  const either = (name: string): string | undefined => named("S3", name) ?? named("AWS", name)
  const prefix = PREFIXES.find((each) => named(each, "ACCESS_KEY_ID") !== undefined) ?? "AWS"
  const accessKeyId = named(prefix, "ACCESS_KEY_ID")
  const secretAccessKey = named(prefix, "SECRET_ACCESS_KEY")
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new CommandError(
      "failed",
      `there are no keys for the bucket ${bucket} in the environment`,
      `Set ${prefix}_ACCESS_KEY_ID and ${prefix}_SECRET_ACCESS_KEY, ${prefix}_REGION, and ${prefix}_ENDPOINT if it is not Amazon's.`,
    )
  }
  return {
    bucket,
    accessKeyId,
    secretAccessKey,
    sessionToken: named(prefix, "SESSION_TOKEN"),
    region: either("REGION"),
    endpoint: either("ENDPOINT"),
  }
}
