import { existsSync, readFileSync, rmSync } from "node:fs"
import type { Settings } from "../../config/settings.ts"
import { COMMAND_LINE } from "../../management/actor.ts"
import { type ImportCounts, type ImportedAccount, Imports } from "../../management/imports.ts"
import { keyChangesIn } from "../../machine/machine.ts"
import { SharedMemory } from "../../machine/shared-memory.ts"
import { hintOf, looksLikeKey, newSecret } from "../../keys/secret.ts"
import type { Installation } from "../installation.ts"
import { type ImportFile, StagedFiles, writePrivateFile } from "./files.ts"
import { importedId, type PlannedAccount, type PlannedKey } from "./plan.ts"

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
