import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, resolve } from "node:path"
import { stringify } from "yaml"
import { CommandError } from "../exit-codes.ts"
import type { ImportPlan } from "./plan.ts"

/** Only the owner may read the files, because they contain secrets or refer to them. */
const PRIVATE_MODE = 0o600

/** A file that an import will write. */
export interface ImportFile {
  readonly path: string
  readonly text: string
}

export function settingsText({ settings }: ImportPlan): string {
  return `# Written by tollgate import.\n${stringify(settings, { lineWidth: 0 })}`
}

/** Returns the settings file, and the file with the other gateway's secrets. */
export function settingsFiles({ variables }: ImportPlan, path: string, text: string): ImportFile[] {
  const secrets = [...variables.values].map(([name, value]) => `${name}=${quoted(value)}\n`)
  const environment = { path: `${path}.env`, text: secrets.join("") }
  return secrets.length === 0 ? [{ path, text }] : [{ path, text }, environment]
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`
}

/**
 * Checks that a file can be written, before anything is written.
 * @throws CommandError `usage` if not.
 */
export function requireWritable(path: string): void {
  const folder = dirname(resolve(path))
  const isFolder = path === "" || (existsSync(path) && statSync(path).isDirectory())
  try {
    if (isFolder) throw new Error("it is a folder")
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new CommandError(
      "usage",
      `the settings cannot be written to '${path}': ${(error as Error).message}`,
      "Name a file in an existing folder with --out.",
    )
  }
}

/**
 * Checks existing files.
 * @throws CommandError `conflict` if a file exists with different content.
 */
export function rejectOverwriting(files: readonly ImportFile[]): void {
  for (const { path, text } of files) {
    if (!existsSync(path) || readFileSync(path, "utf8") === text) continue
    throw new CommandError(
      "conflict",
      `${path} already exists with different content`,
      "Name another file with --out, or overwrite it with --force.",
    )
  }
}

/**
 * Files that are first written under temporary names next to their final paths, so that no file is ever partly written.
 */
export class StagedFiles implements Disposable {
  readonly #paths: readonly string[]

  constructor(files: readonly ImportFile[]) {
    this.#paths = files.map(({ path }) => path)
    for (const file of files) stage(file)
  }

  /** Moves the files to their final paths. */
  commit(): void {
    for (const path of this.#paths) renameSync(partOf(path), path)
  }

  /** Removes the temporary files that were not moved. */
  [Symbol.dispose](): void {
    for (const path of this.#paths) rmSync(partOf(path), { force: true })
  }
}

export function writePrivateFile(file: ImportFile): void {
  using staged = new StagedFiles([file])
  staged.commit()
}

function partOf(path: string): string {
  return `${path}.part`
}

function stage({ path, text }: ImportFile): void {
  rmSync(partOf(path), { force: true })
  const file = openSync(partOf(path), "wx", PRIVATE_MODE)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
