import { Database } from "bun:sqlite"
import { existsSync } from "node:fs"
import { formatCredits } from "../../ledger/money.ts"
import { CommandError } from "../exit-codes.ts"
import { NewApiChannels } from "./new-api-channels.ts"
import {
  Differences,
  importedId,
  labelOf,
  type ImportPlan,
  type PlannedAccount,
  type PlannedKey,
  uniqueName,
} from "./plan.ts"
import { Providers } from "./providers.ts"
import { Variables } from "./variables.ts"

type Row = Readonly<Record<string, unknown>>

/** new-api's quota has 500,000 units per dollar. */
const NANOCREDITS_PER_UNIT = 2_000n
const ENABLED = 1
/** Number of characters of a key that are shown. */
const HINT = 4
const MILLISECONDS = 1_000

/**
 * Plans the import of new-api's SQLite database. Channels become providers, users become accounts, and tokens become
 * keys. new-api stores keys in plain text, so callers can continue to use them.
 * @throws CommandError if the database cannot be read.
 */
export async function planNewApi(file: string, directory: string): Promise<ImportPlan> {
  if (!existsSync(file)) throw new CommandError("not_found", `there is no file ${file}`)
  const differences = new Differences()
  const { channels, users, tokens } = readAll(file)
  const variables = new Variables("NEW_API", "")
  const models = new NewApiChannels(differences, new Providers(differences, variables, directory))
  for (const channel of channels) models.add(channel)
  const { settings, ids } = models.finish()
  const known = new Set(users.map(({ id }) => id))
  for (const token of tokens)
    if (!known.has(token["user_id"]))
      differences.leftOut(`key ${labelOf(token["name"])}`, "its user does not exist")
  const taken = new Set<string>()
  const accounts = users.map((user) => {
    const name = uniqueName(labelOf(user["username"] ?? user["id"]), `user ${user["id"]}`, taken)
    return accountOf(user, name, { tokens, ids, differences })
  })
  differences.toDecide(
    "prices",
    "the known prices of the models apply: compare ratios and groups, and set 'multiplier'",
  )
  return { settings, variables, accounts, differences }
}

function readAll(file: string): Readonly<Record<"channels" | "users" | "tokens", Row[]>> {
  try {
    using database = new Database(file, { readonly: true })
    const rows = (table: string): Row[] => database.query<Row, []>(`SELECT * FROM ${table}`).all()
    const isThere = ({ deleted_at: deletedAt }: Row): boolean =>
      deletedAt === null || deletedAt === undefined
    return {
      channels: rows("channels"),
      users: rows("users").filter(isThere),
      tokens: rows("tokens").filter(isThere),
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError("usage", `${file} is not a database of new-api: ${reason}`)
  }
}

function accountOf(
  user: Row,
  name: string,
  {
    tokens,
    ids,
    differences,
  }: {
    readonly tokens: readonly Row[]
    readonly ids: ReadonlyMap<string, string>
    readonly differences: Differences
  },
): PlannedAccount {
  const subject = `account ${name}`
  const credits = creditsOf(user["quota"])
  const keys = tokens
    .filter((token) => token["user_id"] === user["id"])
    .flatMap((token) => keyOf(token, ids, differences))
  const { email, group } = user
  if (typeof email === "string" && email !== "")
    differences.toDecide(`user ${email}`, "invite them in the console")
  if (typeof group === "string" && group !== "" && group !== "default") {
    differences.leftOut(subject, `its group '${group}'`)
  }
  return {
    name,
    limits: {},
    isPaused: user["status"] !== ENABLED,
    credits,
    note: `from new-api: user ${String(user["id"])}`,
    keys,
  }
}

function keyOf(
  token: Row,
  ids: ReadonlyMap<string, string>,
  differences: Differences,
): PlannedKey[] {
  const name = labelOf(token["name"])
  const subject = `key ${name}`
  const secret = String(token["key"] ?? "")
  const left = creditsOf(token["remain_quota"])
  const isUnlimited = isTrue(token["unlimited_quota"])
  const expires = Number(token["expired_time"] ?? -1)
  const names = isTrue(token["model_limits_enabled"]) ? modelsIn(token) : []
  const fault = faultOf(token, left)
  if (fault !== undefined) {
    differences.leftOut(subject, fault)
    return []
  }
  const { group } = token
  if (typeof group === "string" && group !== "" && group !== "default")
    differences.leftOut(subject, `its group '${group}'`)
  const models = names.map((model) => ids.get(model) ?? model)
  const addresses = String(token["allow_ips"] ?? "")
    .split(/[\s,]+/)
    .filter((address) => address !== "")
  return [
    {
      id: importedId("key", `new-api:${secret}`),
      secret: { secret: `sk-${secret}`, hint: secret.slice(-HINT) },
      isPaused: token["status"] !== ENABLED,
      input: {
        name,
        ...(!isUnlimited && { budget: formatCredits(left) }),
        ...(models.length > 0 && { models }),
        ...(addresses.length > 0 && { addresses }),
        ...(expires > 0 && { expires_at: new Date(expires * MILLISECONDS).toISOString() }),
      },
    },
  ]
}

/** Returns the reason why a key is skipped. Without one of its limits, it would be allowed more than in new-api. */
function faultOf(token: Row, left: bigint): string | undefined {
  if (String(token["key"] ?? "") === "") return "it has no secret"
  const expires = Number(token["expired_time"] ?? -1)
  if (Number.isNaN(new Date(expires * MILLISECONDS).getTime())) return "its expiry cannot be read"
  const isOver = expires > 0 && expires * MILLISECONDS <= Date.now()
  if (isOver || (!isTrue(token["unlimited_quota"]) && left === 0n))
    return "it is used up or expired"
  if (isTrue(token["model_limits_enabled"]) && modelsIn(token).length === 0)
    return "its list of models is empty, which allows no model in New API"
  return undefined
}

function modelsIn({ model_limits: list }: Row): string[] {
  return String(list ?? "")
    .split(",")
    .map((model) => model.trim())
    .filter((model) => model !== "")
}

/** Whether a value is true. SQLite stores values of any type in a column. */
function isTrue(value: unknown): boolean {
  return value === 1 || value === "1" || value === "true"
}

function creditsOf(quota: unknown): bigint {
  const units = typeof quota === "number" && Number.isSafeInteger(quota) ? BigInt(quota) : 0n
  return units > 0n ? units * NANOCREDITS_PER_UNIT : 0n
}
