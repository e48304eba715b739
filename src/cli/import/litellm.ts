import { formatCredits } from "../../ledger/money.ts"
import { type LiteLlmRows, readLiteLlmRows, textOf } from "./litellm-database.ts"
import { LiteLlmLimits } from "./litellm-limits.ts"
import {
  Differences,
  importedId,
  isNothing,
  labelOf,
  type PlannedAccount,
  type PlannedKey,
  uniqueName,
  type ImportPlan,
} from "./plan.ts"
import { readLiteLlmConfig } from "./litellm-config.ts"

type Row = Readonly<Record<string, unknown>>

/** Members of a key that are imported, or that can be omitted without an effect. */
const READ_OF_KEYS = new Set([
  ..."token key_name key_alias spend expires models aliases user_id team_id max_parallel_requests blocked".split(
    " ",
  ),
  ..."tpm_limit rpm_limit max_budget budget_duration budget_reset_at budget_id created_at updated_at".split(
    " ",
  ),
  ..."created_by updated_by last_active soft_budget_cooldown model_spend rotation_count".split(" "),
])
const NO_TEAM = "litellm"
/** The team of keys that LiteLLM creates when users sign in to its UI. */
const UI_TEAM = "litellm-dashboard"
const DIGEST = /^[0-9a-f]{64}$/

/**
 * Converts LiteLLM's database to accounts and keys. Each team becomes an account, and so does each user with keys
 * outside of teams.
 */
class LiteLlmAccounts {
  readonly #rows: LiteLlmRows
  readonly #ids: ReadonlyMap<string, string>
  readonly #differences: Differences
  readonly #limits: LiteLlmLimits

  /** @param ids maps LiteLLM's names of models to the ids of the imported models. */
  constructor(rows: LiteLlmRows, ids: ReadonlyMap<string, string>, differences: Differences) {
    this.#rows = rows
    this.#ids = ids
    this.#differences = differences
    this.#limits = new LiteLlmLimits(rows, ids, differences)
  }

  plan(): PlannedAccount[] {
    const { keys, teams, users } = this.#rows
    const owners = new Map<
      string,
      { readonly name: string; readonly row: Row; keys: PlannedKey[] }
    >()
    for (const row of teams.filter(({ team_id: id }) => id !== UI_TEAM)) {
      const name = labelOf(row["team_alias"] ?? row["team_id"])
      owners.set(`team:${String(row["team_id"])}`, { name, row, keys: [] })
    }
    for (const row of users) {
      const name = labelOf(row["user_email"] ?? row["user_alias"] ?? row["user_id"])
      owners.set(`user:${String(row["user_id"])}`, { name, row, keys: [] })
    }
    const others = { name: NO_TEAM, row: {}, keys: [] as PlannedKey[] }
    for (const row of keys) {
      const planned = this.#key(row)
      if (!planned) continue
      const owner =
        owners.get(`team:${String(row["team_id"])}`) ?? owners.get(`user:${String(row["user_id"])}`)
      ;(owner ?? others).keys.push(planned)
    }
    const taken = new Set<string>()
    return [...owners.entries(), ["", others] as const].flatMap(([origin, owner]) => {
      if (origin.startsWith("team:") || owner.keys.length > 0)
        return [this.#account(origin, owner, taken)]
      return []
    })
  }

  /** Lists the users to invite to the console, since passwords are not imported. */
  reportUsers(): void {
    for (const { user_email: email, user_role: role } of this.#rows.users) {
      if (typeof email !== "string" || email === "") continue
      this.#differences.toDecide(
        `user ${email}`,
        `invite them in the console (role in LiteLLM: ${String(role ?? "none")})`,
      )
    }
  }

  #account(
    origin: string,
    {
      name,
      row,
      keys,
    }: { readonly name: string; readonly row: Row; readonly keys: readonly PlannedKey[] },
    taken: Set<string>,
  ): PlannedAccount {
    const unique = uniqueName(name, origin, taken)
    const subject = `account ${unique}`
    const { limits, once, period, faults, zeros } = this.#limits.of(row, subject)
    for (const fault of faults) {
      const words = `paused: ${fault}. Set its limit by hand, then resume the account`
      this.#differences.toDecide(subject, words)
    }
    this.#reportZeros(subject, zeros)
    const credits = once ?? period ?? 0n
    if (credits === 0n) {
      this.#differences.toDecide(
        subject,
        `it has no budget in LiteLLM: grant it credits, or its requests are rejected (tollgate credits grant)`,
      )
    }
    return {
      name: unique,
      limits,
      isPaused: isBlocked(row) || faults.length + zeros.length > 0,
      credits,
      note: `from LiteLLM: ${origin === "" ? "keys without a team" : origin}`,
      keys,
    }
  }

  #key(row: Row): PlannedKey | undefined {
    const digest = String(row["token"] ?? "")
    const name = labelOf(row["key_alias"] ?? row["key_name"] ?? `${digest.slice(0, 8)}…`)
    const subject = `key ${name}`
    if (!DIGEST.test(digest)) {
      this.#differences.leftOut(subject, "its hash is not a SHA-256 hash")
      return undefined
    }
    const expires =
      typeof row["expires"] === "string" ? Date.parse(withZone(row["expires"])) : Number.NaN
    const reason =
      row["team_id"] === UI_TEAM
        ? "it is a session key of LiteLLM's UI"
        : isNothing(row["expires"])
          ? undefined
          : expiryReason(expires)
    if (reason) {
      this.#differences.leftOut(subject, reason)
      return undefined
    }
    for (const [member, value] of Object.entries(row)) {
      if (!READ_OF_KEYS.has(member) && !isNothing(value))
        this.#differences.leftOut(subject, `'${member}'`)
    }
    const { limits, once, faults, zeros } = this.#limits.of(row, subject)
    const aliases = this.#aliases(row, subject)
    const fault = once === 0n ? "its budget is zero or used up" : faults[0]
    if (fault !== undefined) {
      this.#differences.leftOut(subject, fault)
      return undefined
    }
    this.#reportZeros(subject, zeros)
    return {
      id: importedId("key", `litellm:${digest}`),
      secret: { digest, hint: String(row["key_name"] ?? "").slice(-4) },
      isPaused: isBlocked(row) || zeros.length > 0,
      input: {
        name,
        ...limits,
        ...(once !== undefined && { budget: formatCredits(once) }),
        ...(aliases && { aliases }),
        ...(!Number.isNaN(expires) && { expires_at: new Date(expires).toISOString() }),
      },
    }
  }

  /** Reports limits of zero, which the gateway does not support. */
  #reportZeros(subject: string, zeros: readonly string[]): void {
    if (zeros.length > 0)
      this.#differences.changed(subject, `paused, since ${zeros.join(" and ")} is 0 in LiteLLM`)
  }

  #aliases(row: Row, subject: string): Record<string, string> | undefined {
    const aliases = row["aliases"]
    if (isNothing(aliases)) return undefined
    if (typeof aliases !== "object" || aliases === null || Array.isArray(aliases)) {
      this.#differences.leftOut(subject, "'aliases'")
      return undefined
    }
    const found = Object.entries(aliases).flatMap(([alias, target]) => {
      const id = this.#ids.get(String(target))
      if (id === undefined)
        this.#differences.leftOut(subject, `the alias '${alias}' names a model that does not exist`)
      return id === undefined ? [] : [[alias, id] as const]
    })
    return found.length === 0 ? undefined : Object.fromEntries(found)
  }
}

function isBlocked({ blocked }: Row): boolean {
  return !isNothing(blocked) && blocked !== "false"
}

/** Adds the time zone to Prisma's timestamps, which are in UTC without a suffix. */
function withZone(text: string): string {
  return /[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`
}

/** Returns the reason why an expiring key is not imported. A key with an unreadable expiry would never expire here. */
function expiryReason(expires: number): string | undefined {
  if (Number.isNaN(expires)) return "its expiry cannot be read"
  return expires <= Date.now() ? `it expired at ${new Date(expires).toISOString()}` : undefined
}

/**
 * Plans the import of LiteLLM's settings, and of its database if one is given.
 * @param directory the folder of the settings file that will be written.
 * @throws CommandError if a source cannot be read.
 */
export async function planLiteLlm(
  file: string,
  directory: string,
  database?: string,
): Promise<ImportPlan> {
  const differences = new Differences()
  const { settings, variables, ids } = readLiteLlmConfig(textOf(file), directory, differences)
  if (database === undefined) {
    differences.toDecide("keys", "name the database with --database to carry them over")
    return { settings, variables, accounts: [], differences }
  }
  const accounts = new LiteLlmAccounts(
    await readLiteLlmRows(database, differences),
    ids,
    differences,
  )
  const planned = accounts.plan()
  accounts.reportUsers()
  return { settings, variables, accounts: planned, differences }
}
