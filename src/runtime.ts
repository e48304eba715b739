/**
 * The version in `package.json`. It is repeated here because that file is not part of the executable. A test compares
 * them.
 */
export const VERSION = "0.1.0"

/** Matches paths of files in an executable. On Windows, they start with a drive letter. */
const EMBEDDED = /^(\/\$bunfs|[A-Z]:[\\/]~BUN)[\\/]/

/** Whether this program is the executable that `npm run build` produces, which contains all files. */
export const IS_EXECUTABLE = EMBEDDED.test(Bun.main)

/**
 * Returns the address of a file that runs on a separate thread.
 * @param path relative to `src/`, such as `store/sqlite/thread.ts`.
 */
export function threadAddress(path: string): string {
  const place = IS_EXECUTABLE ? `./src/${path.replace(/\.ts$/, ".js")}` : `./${path}`
  return new URL(place, import.meta.url).href
}

/** Returns the command line that starts this program again, without its arguments. */
export function programWords(): string[] {
  return IS_EXECUTABLE ? [process.execPath] : [process.execPath, Bun.main]
}
