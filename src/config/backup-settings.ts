import { parseDuration } from "./duration.ts"
import { Fault, readText, reading } from "./scalars.ts"

const SHORTEST = 60_000
const LONGEST = 366 * 86_400_000

/** How backups are watched. */
export interface BackupSettings {
  /** How long after a backup the next one is to be made, milliseconds; null: as the last one said; `off`: it is not watched. */
  readonly every: number | "off" | null
}

/** The section `backup` of a settings file. */
export const backupScalars = {
  every: reading((input) => {
    const text = input === false ? "off" : readText(input)
    if (text instanceof Fault || text === "off") return text
    const length = parseDuration(text)
    if (length !== undefined && length >= SHORTEST && length <= LONGEST) return length
    return new Fault("must be a length of time such as 6h or 7d, from 1m to 366d, or off")
  }).optional(),
}

/** The parsed section of the file. */
export function backupSettings(
  section: { readonly every?: number | "off" | undefined } | null | undefined,
): BackupSettings {
  return { every: section?.every ?? null }
}
