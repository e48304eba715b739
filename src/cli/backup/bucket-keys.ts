import type { Environment } from "../../config/substitute.ts"
import type { BucketAddress } from "../../wire/bucket/bucket-address.ts"
import { CommandError } from "../exit-codes.ts"

/** Prefixes of the environment variables. Variables for the bucket alone take precedence over Amazon's own names. */
const PREFIXES = ["S3", "AWS"] as const

/**
 * Returns a bucket with its settings from the environment. The parts of a key belong together, so a session token is
 * only used with the key of the same prefix.
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
      `Set ${prefix}_ACCESS_KEY_ID and ${prefix}_SECRET_ACCESS_KEY, ${prefix}_REGION, and ${prefix}_ENDPOINT for servers other than AWS.`,
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
