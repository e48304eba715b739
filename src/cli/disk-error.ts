/** Error codes for a full disk, an exceeded quota, a file that is too large, and an I/O error. */
const DISK_ERRORS: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO"])

/** Whether a disk cannot store a write. */
export function isDiskError(error: unknown): boolean {
  return error instanceof Error && "code" in error && DISK_ERRORS.has(String(error.code))
}
