/** The version in `package.json`, which is not part of the executable; a test keeps them equal. */
export const VERSION = "0.1.0"

/** The path of the files in an executable: Windows uses a drive. */
const EMBEDDED = /^(\/\$bunfs|[A-Z]:[\\/]~BUN)[\\/]/

/** Whether this is the executable of `npm run build`, which carries every file inside. */
export const IS_EXECUTABLE = EMBEDDED.test(Bun.main)

/**
 * The address of a file that runs on a thread of its own.
 * @param path below `src/`, such as `store/sqlite/thread.ts`.
 */
export function threadAddress(path: string): string {
  const place = IS_EXECUTABLE ? `./src/${path.replace(/\.ts$/, ".js")}` : `./${path}`
  return new URL(place, import.meta.url).href
}

/** The words that start this program again, before those of its command. */
export function programWords(): string[] {
  return IS_EXECUTABLE ? [process.execPath] : [process.execPath, Bun.main]
}
