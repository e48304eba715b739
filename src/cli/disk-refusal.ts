/** A full disk, a quota, the largest possible file, a broken disk. */
const REFUSALS: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO"])

/** Whether a disk does not take what was to be written. */
export function isRefusalOfDisk(error: unknown): boolean {
  return error instanceof Error && "code" in error && REFUSALS.has(String(error.code))
}
