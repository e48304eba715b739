import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ForeignClient } from "./clients.ts"

/** A file that is written when an installation is complete. It is compared before the installation is reused. */
const MARK = "installed.txt"

/**
 * Installs a client in a separate folder below `root`, unless it is already installed.
 * @returns the reason if the installation fails; otherwise undefined.
 */
export function install(root: string, client: ForeignClient): string | undefined {
  const folder = join(root, client.name)
  const wanted = client.packages.join("\n")
  const mark = join(folder, MARK)
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return undefined
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const command of commandsOf(client)) {
    const { success, stderr } = Bun.spawnSync(command, { cwd: folder, stderr: "pipe" })
    if (success) continue
    const reason = stderr.toString().trim().split("\n").at(-1) ?? ""
    return `${command.slice(0, 3).join(" ")} failed: ${reason}`
  }
  writeFileSync(mark, wanted)
  return undefined
}

/** Returns the path of the program that runs a client's checks. */
export function interpreterOf(client: ForeignClient): string {
  return client.language === "python" ? "venv/bin/python" : "node"
}

function commandsOf(client: ForeignClient): string[][] {
  if (client.language === "python") {
    const pip = ["venv/bin/python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    return [
      ["python3", "-m", "venv", "venv"],
      [...pip, ...client.packages],
    ]
  }
  const npm = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--save-exact"]
  return [
    ["npm", "init", "--yes", "--silent"],
    [...npm, ...client.packages],
  ]
}
