import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Manifest } from "../../src/cli/backup/manifest.ts"
import { TemporaryDirectory } from "../store/test-database.ts"
import { type Installation, runJson } from "../support/process.ts"

/** The output of the command with --json. */
export interface Made {
  readonly place: string
  readonly name: string
  readonly files: number
  readonly removed: readonly string[]
}

/** A folder for backups and a folder for restoring them. Both are empty. */
export class Folders implements Disposable {
  readonly #directory = new TemporaryDirectory()
  readonly backups = join(this.#directory.path, "backups")
  readonly restored: Installation = {
    data: join(this.#directory.path, "restored"),
    config: join(this.#directory.path, "tollgate.yaml"),
    [Symbol.dispose]() {},
  }

  constructor(yaml: string) {
    writeFileSync(this.restored.config, yaml)
  }

  [Symbol.dispose](): void {
    this.#directory[Symbol.dispose]()
  }
}

/** Creates an account with a key. */
export async function withKey(installation: Installation): Promise<string> {
  await runJson(installation, "account", "create", "caller", "--credits", "1")
  return (await runJson<{ key: string }>(installation, "key", "create", "--account", "caller")).key
}

/** Changes the text of a manifest. */
export function rewrite(folder: string, change: (text: string) => string): void {
  const path = join(folder, "manifest.json")
  writeFileSync(path, change(readFileSync(path, "utf8")))
}

/** Simulates an attacker without the secrets, who changes the manifest and keeps its signature. */
export function hashAgain(folder: string, change: (manifest: Manifest) => Manifest): void {
  rewrite(folder, (text) => {
    const { manifest, signature } = JSON.parse(text) as { manifest: Manifest; signature: string }
    return JSON.stringify({ manifest: change(manifest), signature })
  })
}

export function hashOf(file: string): { bytes: number; sha256: string } {
  const bytes = readFileSync(file)
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") }
}
