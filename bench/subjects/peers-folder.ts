import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The folder in which peers are installed, which is outside the repository. */
export const PEERS = process.env["TOLLGATE_BENCH_PEERS"] ?? join(tmpdir(), "tollgate-bench-peers")

/** Returns the folder of a peer. */
export function peerFolder(name: string): string {
  return join(PEERS, name)
}

/**
 * Returns the reason why a peer cannot run on this machine; undefined if it can.
 * @param file a file that the installation of the peer creates.
 */
export function missingFile(name: string, file: string): string | undefined {
  return existsSync(file) ? undefined : `not installed; try: npm run bench:peers -- ${name}`
}

/**
 * Returns the reason why a peer that is not in a package registry cannot run. Its executable must be installed
 * manually.
 */
export function missingProgram(file: string): string | undefined {
  return existsSync(file) ? undefined : `no package registry has it; put its executable at ${file}`
}

/** Returns the first line that a program prints. */
export function firstLineOf(...command: string[]): string {
  const { stdout, stderr } = Bun.spawnSync(command)
  const text = stdout.toString().trim() || stderr.toString().trim()
  return text.split("\n", 1)[0] ?? ""
}
