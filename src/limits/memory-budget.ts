import { GatewayError } from "../canon/errors.ts"

/** The key and account of a request that holds memory. */
export interface MemoryHolder {
  readonly id: string
  readonly account: string
}

/**
 * Maximum bytes of a request that may use the part reserved for small requests. If the other requests of a key or
 * account together hold no more than this, they do not limit a further request.
 */
const SMALL_HOLDING_BYTES = 128 * 1024
/** Seconds after which to retry if the budget is full. */
const RETRY_AFTER_SECONDS = 2
const EIGHTHS = 8
/**
 * Eighths of the budget that large bodies and responses may fill, respectively. The rest is reserved for small
 * requests.
 */
const EIGHTHS_OF_BODIES = 6
const EIGHTHS_OF_RESPONSES = 7
/**
 * An account may hold at most twice the memory that remains free, and each of its keys at most as much as remains free.
 */
const ACCOUNT_PART = 2

const MEBIBYTE = 1024 * 1024

/**
 * The result of taking memory. With `share_used`, the request would be rejected even if no other account held memory.
 */
type Taken = "taken" | "full" | "share_used"

/** The bytes held by one key or account. */
interface Share {
  held: number
}

interface KeyShare extends Share {
  readonly account: Share
}

/**
 * Limits the memory that all requests of this process hold for bodies, their parsed form, and buffered responses. A
 * single request of a key may take all free memory. Several requests together may hold at most as much as they leave
 * free, so that no key can block the others.
 */
export class MemoryBudget {
  #limit: number
  #held = 0
  readonly #keys = new Map<string, KeyShare>()
  readonly #accounts = new Map<string, Share>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get limit(): number {
    return this.#limit
  }

  /** Sets the maximum bytes. Requests that already hold more keep their memory. */
  set limit(bytes: number) {
    this.#limit = bytes
  }

  get held(): number {
    return this.#held
  }

  /** Maximum bytes of one large body. */
  get largest(): number {
    return this.#roomOf(EIGHTHS_OF_BODIES)
  }

  /** Maximum bytes of a request with its response. */
  get largestResponse(): number {
    return this.#roomOf(EIGHTHS_OF_RESPONSES)
  }

  /**
   * Whether an account must release memory that it does not use: more than half of all memory is held, and no account
   * holds more than twice as much as this account.
   */
  isShortOf({ held }: Share): boolean {
    if (this.#held <= this.#limit / 2) return false
    for (const other of this.#accounts.values()) if (other.held > 2 * held) return false
    return true
  }

  /** Creates an empty reservation for a request. */
  open({ id, account }: MemoryHolder): Reservation {
    let key = this.#keys.get(id)
    if (key === undefined) {
      key = { held: 0, account: this.#accountShare(account) }
      this.#keys.set(id, key)
    }
    return new Reservation(this, key)
  }

  /**
   * Takes bytes if they are free. They may be rejected because other requests of the key or account hold too many.
   * @param own bytes that the request already holds. The limits for several requests do not apply if the other requests
   * of its key or account are small.
   */
  take(share: KeyShare, own: number, bytes: number, eighths: number): Taken {
    const room = this.#roomOf(eighths) - bytes
    const request = { share, own, bytes }
    if (isGranted(request, room - this.#held)) {
      this.give(share, -bytes)
      return "taken"
    }
    // The caller has caused the rejection itself only if it would also occur without the memory of other accounts.
    return isGranted(request, room - share.account.held) ? "full" : "share_used"
  }

  give(share: KeyShare, bytes: number): void {
    this.#held -= bytes
    share.held -= bytes
    share.account.held -= bytes
  }

  #roomOf(eighths: number): number {
    return Math.floor((this.#limit * eighths) / EIGHTHS)
  }

  #accountShare(account: string): Share {
    let share = this.#accounts.get(account)
    if (share === undefined) {
      share = { held: 0 }
      this.#accounts.set(account, share)
    }
    return share
  }
}

/** A request that takes memory. */
interface Taking {
  readonly share: KeyShare
  /** Bytes that the request already holds. */
  readonly own: number
  /** Bytes that it takes. */
  readonly bytes: number
}

/**
 * Whether a request may take memory.
 * @param free bytes that are free afterwards.
 */
function isGranted({ share, own, bytes }: Taking, free: number): boolean {
  const { account } = share
  if (share.held - own > SMALL_HOLDING_BYTES && share.held + bytes > free) return false
  if (account.held - own > SMALL_HOLDING_BYTES && account.held + bytes > ACCOUNT_PART * free) {
    return false
  }
  return free >= 0
}

/** The part of the budget that one request holds until the reservation is disposed of. */
export class Reservation implements Disposable {
  readonly #budget: MemoryBudget
  readonly #share: KeyShare
  #deferred: (() => void)[] | undefined
  #bytes = 0
  #isOver = false
  /** The reservation that counts further memory once this one is released. */
  #successor: Reservation | undefined

  constructor(budget: MemoryBudget, share: KeyShare) {
    this.#budget = budget
    this.#share = share
  }

  /** Number of bytes that the reservation holds. */
  get held(): number {
    return this.#bytes
  }

  /** Whether memory is short in the whole process, and the account is among those that hold the most. */
  get isShort(): boolean {
    return this.#budget.isShortOf(this.#share.account)
  }

  /** Whether the reservation was released. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Creates another reservation of the same key, for work that outlives the request. */
  another(): Reservation {
    return new Reservation(this.#budget, this.#share)
  }

  /**
   * Creates a reservation that takes over all bytes of this reservation, for work that outlives the request. After this
   * reservation is released, memory that the work takes from it is counted by the successor.
   */
  handOver(): Reservation {
    const successor = this.another()
    successor.#bytes = this.#bytes
    this.#bytes = 0
    this.#successor = successor
    return successor
  }

  /**
   * Releases the slot of a request whose upstream call is being drained. The caller has disconnected or has received
   * the whole response, and the hold bounds the cost of draining. The memory of the request counts until the result is
   * disposed of.
   */
  leaveSlot(): Disposable {
    const kept = this.handOver()
    this[Symbol.dispose]()
    return kept
  }

  /** The reservation that counts memory taken from this reservation; undefined if such memory is not counted. */
  get #counting(): Reservation | undefined {
    const successor = this.#successor
    return this.#isOver ? successor && successor.#counting : this
  }

  /**
   * Reserves memory for a body before it is read, or as it grows.
   * @throws GatewayError `overloaded`; `body_too_large` if it can never fit.
   */
  takeBody(bytes: number): void {
    const { largest } = this.#budget
    const held = this.#counting?.held ?? 0
    if (held + bytes > largest) {
      throw new GatewayError(
        "body_too_large",
        `This request needs more than the ${Math.floor(largest / MEBIBYTE)} MB of memory that one request may use. Send a smaller request, or ask the operator to raise 'limits.memory_mb'.`,
      )
    }
    const isSmall = held + bytes <= SMALL_HOLDING_BYTES
    if (this.#take(bytes, isSmall ? EIGHTHS : EIGHTHS_OF_BODIES) !== "taken") throw full()
  }

  /**
   * Reserves memory for a response, a frame or a fetched file.
   * @throws GatewayError `overloaded`; `upstream_error` if it can never fit.
   */
  takeResponse(bytes: number): void {
    const { largestResponse } = this.#budget
    const held = this.#counting?.held ?? 0
    if (held + bytes > largestResponse) {
      throw new GatewayError(
        "upstream_error",
        `This response needs more than the ${Math.floor(largestResponse / MEBIBYTE)} MB of memory that one request may use. Request a smaller answer, or ask the operator to raise 'limits.memory_mb'.`,
        { lacksMemory: true },
      )
    }
    const taken = this.#take(bytes, EIGHTHS_OF_RESPONSES)
    if (taken === "share_used") throw new MemoryShareUsed()
    if (taken === "full") throw full()
  }

  /**
   * Releases a part of the memory. After a handover, the successor releases the bytes that this reservation no longer
   * holds.
   */
  give(bytes: number): void {
    const own = Math.min(bytes, this.#bytes)
    this.#bytes -= own
    this.#budget.give(this.#share, own)
    if (own < bytes) this.#successor?.give(bytes - own)
  }

  /** Registers a callback for the release. The callback must not throw. */
  defer(end: () => void): void {
    if (this.#isOver) end()
    else (this.#deferred ??= []).push(end)
  }

  /** Releases all memory, or leaves it to the successor. Without a successor, memory taken later is not counted. */
  [Symbol.dispose](): void {
    if (this.#isOver) return
    this.#isOver = true
    const successor = this.#counting
    if (successor) successor.#bytes += this.#bytes
    else this.#budget.give(this.#share, this.#bytes)
    this.#bytes = 0
    for (const end of this.#deferred ?? []) end()
  }

  #take(bytes: number, eighths: number): Taken {
    const counting = this.#counting
    if (counting === undefined) return "taken"
    const taken = this.#budget.take(this.#share, counting.#bytes, bytes, eighths)
    if (taken === "taken") counting.#bytes += bytes
    return taken
  }
}

/**
 * The error for a response whose memory was rejected because parallel requests of the same key or account hold too
 * much.
 */
export class MemoryShareUsed extends GatewayError {
  constructor() {
    super(
      "overloaded",
      "Parallel requests of this key or account hold the memory that this response needs. Send fewer large requests at once, or ask the operator to raise 'limits.memory_mb'.",
      { retryAfter: RETRY_AFTER_SECONDS, lacksMemory: true },
    )
  }
}

function full(): GatewayError {
  return new GatewayError(
    "overloaded",
    "The gateway currently has no free memory for a request of this size. Try again in a moment, or send fewer large requests at once.",
    { retryAfter: RETRY_AFTER_SECONDS, lacksMemory: true },
  )
}
