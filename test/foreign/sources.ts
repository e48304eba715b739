import { existsSync } from "node:fs"
import { join } from "node:path"

/** A repository on GitHub at one commit. */
export interface Source {
  /** The name in the form `owner/name`. */
  readonly repository: string
  readonly commit: string
}

/**
 * Checks out a repository below `root`, from GitHub or from the folder `TOLLGATE_FOREIGN_SOURCES`, which contains a
 * clone of each repository as `owner/name`.
 * @returns the folder, or the reason if the checkout fails.
 */
export function checkOut(root: string, source: Source): { folder: string } | { problem: string } {
  const folder = join(root, `${source.repository.replace("/", "-")}-${source.commit.slice(0, 12)}`)
  if (!existsSync(join(folder, ".git"))) {
    const sources = process.env["TOLLGATE_FOREIGN_SOURCES"]
    const from =
      sources === undefined
        ? `https://github.com/${source.repository}.git`
        : join(sources, source.repository)
    const problem = git("clone", "--quiet", "--no-checkout", from, folder)
    if (problem !== undefined) return { problem }
  }
  const problem = git("-C", folder, "checkout", "--quiet", "--force", source.commit)
  return problem === undefined ? { folder } : { problem }
}

function git(...words: string[]): string | undefined {
  const { success, stderr } = Bun.spawnSync(["git", ...words], {
    env: { ...process.env, GIT_TERMINAL_PROMPT: "0" },
    stderr: "pipe",
  })
  return success ? undefined : `git ${words[0]}: ${stderr.toString().trim().split("\n").at(-1)}`
}
