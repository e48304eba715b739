import type { Database, Statement } from "bun:sqlite"
import { GatewayError } from "../canon/errors.ts"

/** How often something may be tried. */
export interface AttemptLimit {
  readonly max: number
  /** Milliseconds. */
  readonly window: number
}

const MINUTE = 60_000

/** From one network address, whoever it says it is. */
export const PER_ADDRESS: AttemptLimit = { max: 60, window: 5 * MINUTE }
/** For one user, wherever it comes from. */
export const PER_USER: AttemptLimit = { max: 10, window: 10 * MINUTE }

/** Counts that grow beyond this are swept. */
const SWEEP_EVERY = 500

interface Attempt {
  readonly key: string
  readonly limit: AttemptLimit
}

/**
 * Counts attempts to get in, for all processes together. An attempt counts from its beginning, so that
 * a thousand at once are not all the first; one that succeeds is taken back.
 */
export class Attempts {
  readonly #database: Database
  readonly #count: Statement<{ count: number; begun_at: number }, [string, number, number]>
  readonly #takeBack: Statement<unknown, [string]>
  readonly #sweep: Statement<unknown, [number]>
  #sinceSweep = 0

  constructor(database: Database) {
    this.#database = database
    this.#count = database.prepare(
      `INSERT INTO attempts VALUES (?1, 1, ?2) ON CONFLICT (key) DO UPDATE SET
         count = CASE WHEN begun_at <= ?3 THEN 1 ELSE count + 1 END,
         begun_at = CASE WHEN begun_at <= ?3 THEN ?2 ELSE begun_at END
       RETURNING count, begun_at`,
    )
    this.#takeBack = database.prepare("UPDATE attempts SET count = max(0, count - 1) WHERE key = ?")
    this.#sweep = database.prepare("DELETE FROM attempts WHERE begun_at <= ?")
  }

  /**
   * Counts an attempt under each of the keys, up to one that is over its limit: what an address may not
   * try any more is no one's to answer for, or one address could lock everyone out.
   * @returns what takes it back, for one that succeeded.
   * @throws GatewayError `too_many_attempts`, saying when to try again.
   */
  begin(attempts: readonly Attempt[], now = Date.now()): () => void {
    const counting = this.#database.transaction(() => {
      for (const { key, limit } of attempts) {
        const found = this.#count.get(key, now, now - limit.window)
        if (found !== null && found.count > limit.max) return found.begun_at + limit.window - now
      }
      return 0
    })
    const wait = counting.immediate()
    this.#maybeSweep(now)
    if (wait > 0) throw tooMany(wait)
    return () => {
      for (const { key } of attempts) this.#takeBack.run(key)
    }
  }

  /** The same, for one who is known by their network address alone. */
  beginFrom(name: string, address: string | null): () => void {
    return this.begin([{ key: `${name}:${address ?? "unknown"}`, limit: PER_ADDRESS }])
  }

  #maybeSweep(now: number): void {
    if (++this.#sinceSweep < SWEEP_EVERY) return
    this.#sinceSweep = 0
    this.#sweep.run(now - Math.max(PER_ADDRESS.window, PER_USER.window))
  }
}

function tooMany(wait: number): GatewayError {
  const seconds = Math.max(1, Math.ceil(wait / 1_000))
  const words = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
  return new GatewayError("too_many_attempts", `Too many attempts. Try again in ${words}.`, {
    retryAfter: seconds,
  })
}
