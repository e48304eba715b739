/** Error codes for a full disk, an exceeded quota, a file that is too large, and an I/O error. */
const REFUSALS: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO"])

/** Whether a disk refused a write. */
export function isRefusalOfDisk(error: unknown): boolean {
  return error instanceof Error && "code" in error && REFUSALS.has(String(error.code))
}
