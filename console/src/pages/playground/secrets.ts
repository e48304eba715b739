import { api } from "../../api/client.ts"
import { CallError } from "./call-failure.ts"
import { KEY_NAME, PlaygroundKeys } from "./playground-key.ts"

/** Each user's own, so that who signs in next on this page gets none of the one before. */
const KEYS = new Map<string, PlaygroundKeys>()

/** Whom the playground pays with. */
export interface Payer {
  readonly user: string
  readonly account: string
}

/** Milliseconds before a refused new key is tried again, and how often. */
const PAUSE = 150
const MAX_TRIES = 8

/**
 * Does a chunk of work with a key of the account. A new key that is not known everywhere yet is tried
 * again; one that the gateway no longer takes is replaced.
 * @throws ApiError when no key can be made.
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
      const isRefused = thrown instanceof CallError && thrown.failure.kind === "invalid_api_key"
      if (!isRefused || tries === MAX_TRIES) throw thrown
      if (await keys.isNew(payer.account)) await new Promise((resume) => setTimeout(resume, PAUSE))
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
  const key = await api("POST /keys", { body: { account, name: KEY_NAME, expires_at } })
  return key.secret
}
