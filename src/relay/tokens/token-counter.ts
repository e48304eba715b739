import type { WorkerPool } from "../../workers/worker-pool.ts"
import { roughTokens } from "./rough-tokens.ts"
import type { CountInput } from "./count-tokens.ts"

/** Maximum characters of a text that is counted. For a longer text, its number of bytes is a sufficient bound. */
const MAX_CHARACTERS = 400_000

/** Counts tokens on the worker pool, because some texts block every known tokenizer for minutes. */
export class TokenCounter {
  readonly #pool: WorkerPool

  constructor(pool: WorkerPool) {
    this.#pool = pool
  }

  /**
   * Returns a counter for an account.
   * @param account the owner of the texts.
   */
  of(account: string): AccountCounter {
    return new AccountCounter(this.#pool, account)
  }
}

/** Counts the tokens of one account's texts. */
export class AccountCounter {
  readonly #pool: WorkerPool
  readonly #account: string

  constructor(pool: WorkerPool, account: string) {
    this.#pool = pool
    this.#account = account
  }

  /** Returns the tokens of a text in OpenAI's o200k vocabulary; undefined if it could not be counted in time. */
  count(text: string): Promise<number | undefined> {
    return this.#run({ text })
  }

  /** Returns the number of characters in the first tokens of a text; undefined if it could not be counted in time. */
  head(text: string, tokens: number): Promise<number | undefined> {
    return this.#run({ text, head: tokens })
  }

  #run(input: CountInput): Promise<number | undefined> {
    if (input.text === "") return Promise.resolve(0)
    if (input.text.length > MAX_CHARACTERS) return Promise.resolve(undefined)
    const job = { name: "count-tokens", input, owner: this.#account }
    return this.#pool.run(job) as Promise<number | undefined>
  }
}

/** Counts the tokens of several texts, as exactly as possible without the vendor. */
export async function countTexts(
  counter: AccountCounter,
  texts: readonly string[],
): Promise<number> {
  // The texts are joined by spaces. A space becomes part of a word's token, but a line break would be a token itself.
  const text = texts.join(" ")
  const counted = await counter.count(text)
  return counted ?? roughTokens(Buffer.byteLength(text))
}
