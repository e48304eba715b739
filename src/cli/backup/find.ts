import { resolve } from "node:path"
import { CommandError } from "../exit-codes.ts"
import { BucketDestination, isBucket } from "./bucket-destination.ts"
import { FolderDestination } from "./folder-destination.ts"
import { type BackupDestination, installationIn, type StoredBackup } from "./destination.ts"

/**
 * Returns the destination at an address.
 * @param data the data folder.
 * @throws CommandError if the address is unusable.
 */
export function destinationAt(address: string, data: string): BackupDestination {
  return isBucket(address) ? new BucketDestination(address, data) : new FolderDestination(address)
}

/**
 * Returns the backup at an address, or the newest one in a folder or bucket.
 * @param data the data folder that is restored.
 * @throws CommandError `not_found`; `failed` if there are backups of several installations.
 */
export async function findBackup(address: string, data: string): Promise<StoredBackup> {
  const path = isBucket(address) ? address.replace(/\/+$/, "") : resolve(address)
  const cut = path.lastIndexOf("/")
  const name = path.slice(cut + 1)
  // The last part of `s3://bucket` is the name of the bucket, not the name of a backup.
  const mayBeOne = !isBucket(path) || installationIn(name) !== undefined
  const above = path.slice(0, cut)
  const backup = mayBeOne
    ? await destinationAt(above === "" ? "/" : above, data).open(name)
    : undefined
  return backup ?? newestIn(destinationAt(path, data))
}

async function newestIn(destination: BackupDestination): Promise<StoredBackup> {
  const names = await destination.names()
  const installations = new Set(names.map(installationIn))
  if (installations.size > 1) {
    const newest = [...installations].flatMap((each) =>
      names.filter((name) => installationIn(name) === each).slice(-1),
    )
    throw new CommandError(
      "failed",
      `${destination.words} has backups of ${installations.size} installations`,
      `Choose one of them; the newest of each: ${newest.join(", ")}`,
    )
  }
  const newest = names.at(-1)
  const backup = newest === undefined ? undefined : await destination.open(newest)
  if (backup !== undefined) return backup
  throw new CommandError(
    "not_found",
    `there is no backup at ${destination.words}`,
    "A backup has a manifest.json. A folder without one is incomplete.",
  )
}
