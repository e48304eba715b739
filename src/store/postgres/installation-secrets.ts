import { randomBytes } from "node:crypto"
import {
  DerivedSecrets,
  decryptInherited,
  encryptInherited,
} from "../../secrets/derived-secrets.ts"
import { type InstallationSecrets, SECRET_NAMES } from "../../secrets/installation-secrets.ts"
import { LedgerError } from "../ledger-error.ts"
import type { Statements } from "./client.ts"

/** The name of the row that marks a copy as unverified. */
const UNFINISHED = "unfinished_copy"

/**
 * Reads the secrets of an installation.
 * @param given TOLLGATE_SECRET. If absent, a secret in the database is used, and created if it is missing.
 * @throws LedgerError `without_secrets` if the keys were hashed with a secret other than the given one, `unfinished`.
 */
export async function readSecrets(
  statements: Statements,
  given: string | undefined,
  place: string,
): Promise<InstallationSecrets> {
  const root = await rootOf(statements, given)
  const { fingerprint } = new DerivedSecrets(root)
  if ((await keep(statements, "fingerprint", fingerprint)) !== fingerprint) {
    throw new LedgerError(
      "without_secrets",
      `the ledger at ${place} was written with another secret: set TOLLGATE_SECRET as it was at the first start`,
    )
  }
  const rows = await statements.rows<{ name: string; value: string }>(
    "SELECT name, value FROM installation_secrets",
  )
  const values = new Map(rows.map(({ name, value }) => [name, value]))
  if (values.has(UNFINISHED)) throw unfinished(place)
  const inherited = SECRET_NAMES.flatMap((name): [string, string][] => {
    const encrypted = values.get(rowOf(name))
    return encrypted === undefined ? [] : [[name, decryptInherited(root, name, encrypted)]]
  })
  return new DerivedSecrets(root, new Map(inherited))
}

/** Copies the secrets of the source database. Before `endCopy`, this database cannot be used. */
export async function beginCopy(
  statements: Statements,
  given: string | undefined,
  secrets: InstallationSecrets,
): Promise<void> {
  const root = await rootOf(statements, given)
  for (const name of SECRET_NAMES) {
    const secret = secrets.read(name)
    if (secret !== undefined) {
      await keep(statements, rowOf(name), encryptInherited(root, name, secret))
    }
  }
  await keep(statements, UNFINISHED, "")
}

export async function endCopy(statements: Statements): Promise<void> {
  await statements.run("DELETE FROM installation_secrets WHERE name = $1", [UNFINISHED])
}

function unfinished(place: string): LedgerError {
  return new LedgerError(
    "unfinished",
    `a copy of another database into ${place} was not finished: make an empty database in its place, and copy again`,
  )
}

function rowOf(name: string): string {
  return `inherited:${name}`
}

async function rootOf(statements: Statements, given: string | undefined): Promise<string> {
  return given ?? keep(statements, "root", randomBytes(32).toString("hex"))
}

/**
 * Stores a value unless a value exists.
 * @returns the value that is stored now.
 */
async function keep(statements: Statements, name: string, value: string): Promise<string> {
  await statements.run(
    "INSERT INTO installation_secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
    [name, value],
  )
  const row = await statements.row<{ value: string }>(
    "SELECT value FROM installation_secrets WHERE name = $1",
    [name],
  )
  return row?.value ?? value
}
