import { GatewayError } from "../canon/errors.ts"

/** OWASP's parameters for argon2id, with 19 MiB of memory and two passes. */
const HASHING = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const
/** Maximum concurrent hashes. Each uses memory and a thread, so a higher number would slow down callers' requests. */
const MAX_CONCURRENT = 2
const MAX_QUEUED = 32

/** Hashes and compares passwords, with limited concurrency. */
export class Passwords {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /**
   * Checks that the queue has room.
   * @throws GatewayError `too_many_attempts` if the queue is full.
   */
  requireRoom(): void {
    if (this.#waiting.length < MAX_QUEUED) return
    throw new GatewayError(
      "too_many_attempts",
      "Too many people are signing in right now. Try again in a few seconds.",
      { retryAfter: 5 },
    )
  }

  /** Hashes a password for storage. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => Bun.password.hash(password, HASHING))
  }

  /** Whether a password matches a hash. */
  verify(password: string, hash: string): Promise<boolean> {
    return this.#inTurn(() => Bun.password.verify(password, hash))
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    await this.#turn()
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  #turn(): Promise<void> {
    if (this.#running < MAX_CONCURRENT) {
      this.#running++
      return Promise.resolve()
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
