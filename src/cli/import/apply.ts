import {
  existsSync,
  readFileSync,
  rmSync,
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, resolve } from "node:path"
import { stringify } from "yaml"
import type { Settings } from "../../config/settings.ts"
import { COMMAND_LINE } from "../../management/actor.ts"
import { type ImportCounts, type ImportedAccount, Imports } from "../../management/imports.ts"
import { keyChangesIn } from "../../machine/machine.ts"
import { SharedMemory } from "../../machine/shared-memory.ts"
import { hintOf, looksLikeKey, newSecret } from "../../keys/secret.ts"
import type { Installation } from "../installation.ts"
import { CommandError } from "../exit-codes.ts"
import { importedId, type PlannedAccount, type PlannedKey, type ImportPlan } from "./plan.ts"

export interface Applied extends ImportCounts {
  /** The paths of the written files. */
  readonly files: readonly string[]
}

/** The parts of an installation that an import needs. */
export type ImportInstallation = Pick<Installation, "store" | "audit" | "hasher"> & {
  readonly loaded: { readonly settings: Pick<Settings, "data"> }
}

/**
 * Writes everything or nothing. New secrets are written to their file before their keys are added to the ledger, since
 * they are not shown again. The settings are written last. If an import is killed, the next run completes it.
 * @param out the settings file. `.keys` is appended for the file of new secrets.
 */
export async function applyImport(
  accounts: readonly PlannedAccount[],
  settings: readonly ImportFile[],
  out: string,
  installation: ImportInstallation,
): Promise<Applied> {
  const keysPath = `${out}.keys`
  const before = existsSync(keysPath) ? readFileSync(keysPath, "utf8") : undefined
  const secrets = new SecretFile(before ?? "")
  const planned: ImportedAccount[] = []
  for (const account of accounts) {
    const keys = await Promise.all(
      account.keys.map((key) => withSecret(key, secrets, installation)),
    )
    planned.push({ ...account, id: importedId("acc", originOf(account)), keys })
  }
  using staged = new StagedFiles(settings)
  const hasSecrets = secrets.text !== ""
  if (hasSecrets) writePrivateFile({ path: keysPath, text: secrets.text })
  const counts = await importsOf(installation)
    .apply(COMMAND_LINE, planned)
    .catch((error: unknown) => {
      if (before === undefined) rmSync(keysPath, { force: true })
      else writePrivateFile({ path: keysPath, text: before })
      throw error
    })
  staged.commit()
  const paths = settings.map(({ path }) => path)
  return { ...counts, files: hasSecrets ? [...paths, keysPath] : paths }
}

/** Joins the parts of an origin without ambiguity, because users of the other gateway choose some of them. */
function originOf({ note, source }: PlannedAccount): string {
  return source === undefined ? note : JSON.stringify([source, note])
}

function importsOf({ store, audit, hasher, loaded }: ImportInstallation): Imports {
  const { data } = loaded.settings
  return new Imports(store, audit, hasher, async () =>
    keyChangesIn(SharedMemory.open(data)).raise(),
  )
}

/** Adds a secret to a key whose secret is unknown: the secret that an earlier run wrote, or a new one. */
async function withSecret(
  key: PlannedKey,
  secrets: SecretFile,
  { store }: ImportInstallation,
): Promise<ImportedAccount["keys"][number]> {
  if (key.secret) return { ...key, secret: key.secret }
  const isPresent = (await store.keys.find(key.id)) !== null
  const secret = isPresent ? newSecret() : secrets.of(key.id, key.input.name)
  return { ...key, secret: { secret, hint: hintOf(secret) } }
}

/** The file of new secrets. Each line has the secret, the key's name and its id. */
class SecretFile {
  text: string
  readonly #known = new Map<string, string>()

  constructor(text: string) {
    this.text = text
    for (const line of text.split("\n")) {
      const [, secret = "", id = ""] = /^(\S+) {2}.* \((key_[0-9a-f]+)\)$/.exec(line) ?? []
      if (looksLikeKey(secret)) this.#known.set(id, secret)
    }
  }

  of(id: string, name: string): string {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const secret = newSecret()
    this.#known.set(id, secret)
    this.text += `${secret}  ${name} (${id})\n`
    return secret
  }
}

/** Only the owner may read the files, because they contain secrets or refer to them. */
const PRIVATE_MODE = 0o600

/** A file that an import will write. */
interface ImportFile {
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
class StagedFiles implements Disposable {
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

function writePrivateFile(file: ImportFile): void {
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
