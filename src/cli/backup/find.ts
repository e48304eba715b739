import { resolve } from "node:path"
import { CommandError } from "../exit-codes.ts"
import { BucketPlace, isBucket } from "./bucket-place.ts"
import { FolderPlace } from "./folder-place.ts"
import { type BackupPlace, installationIn, type StoredBackup } from "./place.ts"

/**
 * Where backups are made.
 * @param data the data folder.
 * @throws CommandError.
 */
export function placeAt(address: string, data: string): BackupPlace {
  return isBucket(address) ? new BucketPlace(address, data) : new FolderPlace(address)
}

/**
 * The backup at an address, or the newest of those in it.
 * @param data the data folder that is restored.
 * @throws CommandError `not_found`; `failed` where there are some of several installations.
 */
export async function findBackup(address: string, data: string): Promise<StoredBackup> {
  const path = isBucket(address) ? address.replace(/\/+$/, "") : resolve(address)
  const cut = path.lastIndexOf("/")
  const name = path.slice(cut + 1)
  // The last word of a bucket's address may be that of the bucket.
  const mayBeOne = !isBucket(path) || installationIn(name) !== undefined
  const above = path.slice(0, cut)
  const backup = mayBeOne ? await placeAt(above === "" ? "/" : above, data).open(name) : undefined
  return backup ?? newestIn(placeAt(path, data))
}

async function newestIn(place: BackupPlace): Promise<StoredBackup> {
  const names = await place.names()
  const installations = new Set(names.map(installationIn))
  if (installations.size > 1) {
    const newest = [...installations].flatMap((each) =>
      names.filter((name) => installationIn(name) === each).slice(-1),
    )
    throw new CommandError(
      "failed",
      `${place.words} has backups of ${installations.size} installations`,
      `Name the one that you mean; the newest of each: ${newest.join(", ")}`,
    )
  }
  const newest = names.at(-1)
  const backup = newest === undefined ? undefined : await place.open(newest)
  if (backup !== undefined) return backup
  throw new CommandError(
    "not_found",
    `there is no backup at ${place.words}`,
    "A backup has a manifest.json. What has none was not finished.",
  )
}
