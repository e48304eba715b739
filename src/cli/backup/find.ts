import { CommandError } from "../exit-codes.ts"
import { FolderPlace, placeAndName } from "./folder-place.ts"
import { type BackupPlace, installationIn, type StoredBackup } from "./place.ts"

/**
 * The backup at an address, or the newest of those in it.
 * @throws CommandError `not_found`; `failed` where there are some of several installations.
 */
export async function findBackup(address: string): Promise<StoredBackup> {
  const { place, name } = placeAndName(address)
  return (await place.open(name)) ?? newestIn(new FolderPlace(address))
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
    "A backup is a folder with a manifest.json. What has none was not finished.",
  )
}
