import { chmodSync, existsSync, writeFileSync } from "node:fs"
import type { NewKey } from "tollgate-contract/keys.ts"
import { stringify } from "yaml"
import { formatCredits } from "../../ledger/money.ts"
import { COMMAND_LINE } from "../../management/actor.ts"
import { hintOf, newSecret } from "../../keys/secret.ts"
import { CommandError } from "../exit-codes.ts"
import type { Installation } from "../installation.ts"
import type { ImportPlan, PlannedAccount, PlannedKey } from "./plan.ts"

/** The settings name secrets by variables, and these stand in a file of their own; nobody else may read the two. */
const PRIVATE = 0o600

/** What was written, and what was there already. */
export interface Imported {
  accounts: number
  keys: number
  grants: number
  present: number
  /** New secrets by the names of their keys. */
  readonly secrets: Map<string, string>
}

/** Writes accounts, their credits and their keys. To run it again writes only what is not there. */
export async function applyAccounts(
  { accounts }: ImportPlan,
  installation: Installation,
): Promise<Imported> {
  const done: Imported = { accounts: 0, keys: 0, grants: 0, present: 0, secrets: new Map() }
  for (const planned of accounts) {
    const account = await accountOf(planned, installation, done)
    await grant(account, planned, installation, done)
    for (const key of planned.keys) await takeOver(account, key, installation, done)
  }
  return done
}

async function accountOf(
  { name, limits, isPaused }: PlannedAccount,
  { store, accounts }: Installation,
  done: Imported,
): Promise<string> {
  const present = await store.accounts.find(name)
  if (present) {
    done.present++
    return present.id
  }
  const { id } = await accounts.create(COMMAND_LINE, { name })
  const change = { ...limits, ...(isPaused && { state: "paused" as const }) }
  if (Object.keys(change).length > 0) await accounts.change(COMMAND_LINE, id, change)
  done.accounts++
  return id
}

/** Its note is the mark that it was made. */
async function grant(
  account: string,
  { credits, note }: PlannedAccount,
  { store, credits: ledger }: Installation,
  done: Imported,
): Promise<void> {
  if (credits <= 0n) return
  for (let after = 0; ;) {
    const page = await store.entries.list(account, after, 500)
    if (page.some((entry) => entry.kind === "grant" && entry.note === note)) return
    const last = page.at(-1)
    if (!last) break
    after = last.number
  }
  await ledger.add(COMMAND_LINE, account, { kind: "grant", amount: formatCredits(credits), note })
  done.grants++
}

async function takeOver(
  account: string,
  { id, input, secret, isPaused }: PlannedKey,
  { store, keys }: Installation,
  done: Imported,
): Promise<void> {
  if (await store.keys.find(id)) {
    done.present++
    return
  }
  const order: NewKey = { ...input, account }
  if (secret) await keys.takeOver(COMMAND_LINE, order, id, secret)
  else {
    const made = newSecret()
    await keys.takeOver(COMMAND_LINE, order, id, { secret: made, hint: hintOf(made) })
    done.secrets.set(`${input.name} (${id})`, made)
  }
  if (isPaused) await keys.change(COMMAND_LINE, id, { is_paused: true })
  done.keys++
}

/** Writes new secrets to a file that nobody else may read: they are shown nowhere else. */
export function writeSecrets({ secrets }: Imported, path: string): string {
  const file = `${path}.keys`
  write(file, [...secrets].map(([name, secret]) => `${secret}  ${name}\n`).join(""))
  return file
}

/** Writes the settings, and the secrets that stood in the other gateway's files. @throws CommandError `conflict`. */
export function writeSettings(
  { settings, variables }: ImportPlan,
  path: string,
  isForced: boolean,
): string[] {
  const secrets = `${path}.env`
  const files = variables.size === 0 ? [path] : [path, secrets]
  for (const file of isForced ? [] : files) {
    if (!existsSync(file)) continue
    throw new CommandError(
      "conflict",
      `${file} is there already`,
      "Name another file with --out, or write over it with --force.",
    )
  }
  write(path, `# Made by tollgate import.\n${stringify(settings, { lineWidth: 0 })}`)
  if (variables.size > 0) {
    write(
      secrets,
      [...variables]
        .map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`)
        .join(""),
    )
  }
  return files
}

function write(file: string, text: string): void {
  writeFileSync(file, text, { mode: PRIVATE })
  chmodSync(file, PRIVATE)
}
