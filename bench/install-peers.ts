/** Installs the peers of the race. Each gets a folder of its own outside the repository. */
import { mkdirSync, rmSync } from "node:fs"
import { PEERS, peerFolder } from "./subjects/peers-folder.ts"
import { SUBJECTS } from "./subjects/index.ts"
import type { Installation } from "./subjects/subject.ts"

const MAX_WORDS = 2_000

/** Installs one peer. Returns the reason for a failure; undefined if the peer is installed. */
function install(name: string, { needs, commands }: Installation): string | undefined {
  const lacking = needs.filter((program) => Bun.which(program) === null)
  if (lacking.length > 0) return `needs ${lacking.join(" and ")}`
  const folder = peerFolder(name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const command of commands(folder)) {
    const { exitCode, stderr } = Bun.spawnSync([...command], { cwd: folder, stdout: "ignore" })
    if (exitCode === 0) continue
    return `${command.join(" ")}: exit code ${exitCode}\n${stderr.toString().slice(-MAX_WORDS)}`
  }
  return undefined
}

function main(names: readonly string[]): number {
  const unknown = names.filter((name) => !Object.hasOwn(SUBJECTS, name))
  if (unknown.length > 0) {
    console.error(`no such peer: ${unknown.join(", ")}`)
    return 2
  }
  let failures = 0
  for (const subject of Object.values(SUBJECTS)) {
    const { name, installation } = subject
    if (names.length > 0 ? !names.includes(name) : subject.missing() === undefined) continue
    // A subject without installation steps is part of this project, or must be installed manually.
    const reason = installation ? install(name, installation) : subject.missing()
    if (reason !== undefined) failures++
    console.log(`${name}: ${reason ?? "installed"}`)
  }
  console.log(`the peers' folder: ${PEERS}`)
  return failures > 0 && names.length > 0 ? 1 : 0
}

process.exitCode = main(process.argv.slice(2))
