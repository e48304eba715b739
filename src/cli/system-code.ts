/** Error codes for a full disk, an exceeded quota, a file that is too large, and an I/O error. */
const DISK_ERRORS: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO"])

/** Returns the code of a system error, such as `ENOENT`; empty for other errors. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : ""
}

/** Whether a disk cannot store a write. */
export function isDiskError(error: unknown): boolean {
  return DISK_ERRORS.has(systemCode(error))
}
