import { GatewayError } from "../../canon/errors.ts"
import { nextTurn } from "../../canon/next-turn.ts"

const MAX_RUNNING = 8
/**
 * Maximum management requests per person that wait for other requests of the same person. The console sends about ten
 * at once.
 */
const MAX_WAITING = 64
/** Seconds after which to retry. A running request may end at any time. */
const RETRY_AFTER_SECONDS = 1

/** The result of a request. */
interface Ending {
  /** Resolves at the end of a response that is sent in pieces. It never rejects. Absent for other responses. */
  readonly end?: Promise<void> | undefined
}

interface Person {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Limits the concurrent management requests of each person. In each turn of the event loop, only one management request
 * begins or writes its response, because either may take a long time. Requests of callers are served in between.
 */
export class PersonLimits {
  readonly #people = new Map<string, Person>()
  #lastTurn = Promise.resolve()

  /**
   * Runs a request of a person. A response that is sent in pieces counts as running until its end.
   * @throws GatewayError `concurrent_requests_exceeded`.
   */
  async run<Result extends Ending>(
    id: string,
    handle: () => Promise<Result>,
    maxRunning = MAX_RUNNING,
  ): Promise<Result> {
    const person = this.#person(id)
    if (person.running >= maxRunning) await waitIn(person)
    else person.running += 1
    let end: Promise<void> | undefined
    try {
      const result = await handle()
      end = result.end?.then(() => this.#leave(id, person))
      return result
    } finally {
      if (end === undefined) this.#leave(id, person)
    }
  }

  /**
   * Runs a search. Each person and each account has one search at a time, because searches of all accounts share the
   * threads of reports.
   * @throws GatewayError `concurrent_requests_exceeded`.
   */
  async search<Result>(
    { id, account }: { readonly id: string; readonly account: string },
    handle: () => Promise<Result>,
  ): Promise<Result> {
    const ofAccount = () =>
      this.run(
        `searches of account ${account}`,
        async () => ({ result: await handle(), end: undefined }),
        1,
      )
    const { result } = await this.run(`searches of ${id}`, ofAccount, 1)
    return result
  }

  /** Resolves in a turn in which no other management request is served. */
  turn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(nextTurn)
    return this.#lastTurn
  }

  #person(id: string): Person {
    let person = this.#people.get(id)
    if (person === undefined) {
      person = { running: 0, waiting: [] }
      this.#people.set(id, person)
    }
    return person
  }

  /** Ends a request. The next request of the person takes its place. */
  #leave(id: string, person: Person): void {
    const next = person.waiting.shift()
    if (next !== undefined) return next()
    person.running -= 1
    if (person.running === 0) this.#people.delete(id)
  }
}

function waitIn({ waiting }: Person): Promise<void> {
  if (waiting.length >= MAX_WAITING) throw tooManyRunning()
  return new Promise((resolve) => waiting.push(resolve))
}

function tooManyRunning(): GatewayError {
  return new GatewayError(
    "concurrent_requests_exceeded",
    `At most ${MAX_RUNNING + MAX_WAITING} concurrent management requests of a person are accepted. Wait for one to end.`,
    { retryAfter: RETRY_AFTER_SECONDS },
  )
}
