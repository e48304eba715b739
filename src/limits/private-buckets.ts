import { MINUTE_MS } from "#contract/durations.ts"
import type { RateUnit } from "../store/rate-limits.ts"
import { type Buckets, PrivateBucket } from "./bucket.ts"

interface KeyBuckets {
  requests?: PrivateBucket
  tokens?: PrivateBucket
}

/** Maximum keys in memory. When the limit is exceeded, idle keys are removed first, followed by the oldest keys. */
const MAX_KEYS = 100_000

/**
 * The limits of a process that shares no memory with others and therefore counts as a separate machine. Each machine
 * takes the limit divided by the number of machines. Together, the machines never exceed a limit that is at least their
 * number. With a smaller limit, a key may send one request to each process. The process then rejects further requests
 * of the key for a full interval.
 */
export class PrivateBuckets implements Buckets {
  readonly #keys = new Map<string, KeyBuckets>()
  readonly #maxKeys: number
  share = 1
  /** The part of a limit that counts as used for new keys. When another process has left, its usage is unknown here. */
  #newKeyPart = 0
  #newKeyPartAt = 0

  constructor(maxKeys = MAX_KEYS) {
    this.#maxKeys = maxKeys
  }

  setMachines(machines: number, now: number): void {
    const before = this.share
    const after = 1 / Math.max(1, Math.floor(machines))
    if (after === before) return
    const gained = Math.max(0, after - before)
    for (const buckets of this.#keys.values()) {
      for (const bucket of [buckets.requests, buckets.tokens]) {
        bucket?.levelAt(before, now)
        // The used part of a departed process's share must drain first, because it could otherwise be used twice.
        if (bucket) bucket.level += gained * bucket.limit
      }
    }
    this.#newKeyPart = this.#newKeyUsage(now) + gained
    this.#newKeyPartAt = now
    this.share = after
  }

  requests(keyId: string, limit: number, now: number): PrivateBucket {
    const buckets = this.#of(keyId, now)
    return (buckets.requests = this.#ready(buckets.requests, limit, now))
  }

  tokens(keyId: string, limit: number, now: number): PrivateBucket {
    const buckets = this.#of(keyId, now)
    return (buckets.tokens = this.#ready(buckets.tokens, limit, now))
  }

  used(keyId: string, unit: RateUnit): PrivateBucket | undefined {
    return this.#keys.get(keyId)?.[unit]
  }

  #of(keyId: string, now: number): KeyBuckets {
    const known = this.#keys.get(keyId)
    if (known) return known
    if (this.#keys.size >= this.#maxKeys) this.#forget(now)
    const buckets: KeyBuckets = {}
    this.#keys.set(keyId, buckets)
    return buckets
  }

  #ready(bucket: PrivateBucket | undefined, limit: number, now: number): PrivateBucket {
    if (bucket === undefined) return new PrivateBucket(limit, this.#newKeyUsage(now) * limit, now)
    bucket.levelAt(this.share, now)
    bucket.limit = limit
    return bucket
  }

  #newKeyUsage(now: number): number {
    if (this.#newKeyPart === 0) return 0
    return Math.max(0, this.#newKeyPart - ((now - this.#newKeyPartAt) / MINUTE_MS) * this.share)
  }

  #forget(now: number): void {
    for (const [keyId, { requests, tokens }] of this.#keys) {
      const used =
        (requests?.levelAt(this.share, now) ?? 0) + (tokens?.levelAt(this.share, now) ?? 0)
      if (used === 0) this.#keys.delete(keyId)
    }
    // Removes a tenth of the keys together, so that the next new keys do not each scan all keys.
    let excess = this.#keys.size - Math.floor(this.#maxKeys * 0.9)
    for (const keyId of this.#keys.keys()) {
      if (excess-- <= 0) break
      this.#keys.delete(keyId)
    }
  }
}
