import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Where the peers are installed: outside of the repository, of which none is a part. */
export const PEERS = process.env["TOLLGATE_BENCH_PEERS"] ?? join(tmpdir(), "tollgate-bench-peers")

/** The folder of one peer's own. */
export function peerFolder(name: string): string {
  return join(PEERS, name)
}

/** Why a peer cannot run here; undefined when it can. @param file what is there when it is installed */
export function missingFile(name: string, file: string): string | undefined {
  return existsSync(file) ? undefined : `not installed; try: npm run bench:peers -- ${name}`
}

/** The same of one that no package registry has: its executable has to be put there by hand. */
export function missingProgram(file: string): string | undefined {
  return existsSync(file) ? undefined : `no package registry has it; put its executable at ${file}`
}

/** The first line that a program prints. */
export function firstLineOf(...command: string[]): string {
  const { stdout, stderr } = Bun.spawnSync(command)
  const text = stdout.toString().trim() || stderr.toString().trim()
  return text.split("\n", 1)[0] ?? ""
}
