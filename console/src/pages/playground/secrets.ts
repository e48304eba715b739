import type { NewKey } from "tollgate-contract/keys.ts"
import { api } from "../../api/client.ts"
import { queryClient, sessionQuery } from "../../api/queries.ts"
import { isMemberOf } from "../../session.tsx"
import { CallError } from "./call-failure.ts"
import { KEY_NAME, PlaygroundKeys } from "./playground-key.ts"

/** Keys by user. If another user signs in on this page, that user gets separate keys. */
const KEYS = new Map<string, PlaygroundKeys>()

/** The user and the account that pays for playground requests. */
export interface Payer {
  readonly user: string
  readonly account: string
}

/** Interval between retries with a new key that the gateway still rejects. */
const RETRY_INTERVAL_MS = 150
const MAX_TRIES = 8

/**
 * Runs an operation with a key of the account. If another process has not read a new key yet, the operation is retried.
 * A key that the gateway no longer accepts is replaced.
 * @throws ApiError if no key can be created.
 */
export async function withSecret<Result>(
  payer: Payer,
  work: (secret: string) => Promise<Result>,
): Promise<Result> {
  const keys = keysOf(payer.user)
  for (let tries = 1; ; tries++) {
    const secret = await keys.secretFor(payer.account)
    try {
      return await work(secret)
    } catch (thrown) {
      const isRejected = thrown instanceof CallError && thrown.failure.kind === "invalid_api_key"
      if (!isRejected || tries === MAX_TRIES) throw thrown
      if (await keys.isNew(payer.account))
        await new Promise((resume) => setTimeout(resume, RETRY_INTERVAL_MS))
      else keys.forget(payer.account)
    }
  }
}

function keysOf(user: string): PlaygroundKeys {
  const known = KEYS.get(user)
  if (known !== undefined) return known
  const made = new PlaygroundKeys(makeKey)
  KEYS.set(user, made)
  return made
}

async function makeKey(account: string, expiresAt: number): Promise<string> {
  const expires_at = new Date(expiresAt).toISOString()
  const limits = await requiredLimits(account)
  const key = await api("POST /keys", { body: { ...limits, account, name: KEY_NAME, expires_at } })
  return key.secret
}

/** Returns the limits that keys of the user must have. */
async function requiredLimits(account: string): Promise<Partial<NewKey>> {
  if (!isMemberOf(queryClient.getQueryData(sessionQuery.queryKey), account)) return {}
  const rules = await api("GET /accounts/{id}/member-keys", { path: { id: account } })
  return {
    models: rules.models,
    budget: rules.max_budget,
    daily_budget: rules.max_daily_budget,
    monthly_budget: rules.max_monthly_budget,
  }
}
