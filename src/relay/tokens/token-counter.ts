import type { WorkerPool } from "../../workers/worker-pool.ts"
import { roughTokens } from "./rough-tokens.ts"
import type { CountInput } from "./count-tokens.ts"

/** Maximum characters of a text to count: the bytes of a longer text bound its tokens well enough. */
const MAX_CHARACTERS = 400_000

/** Counts tokens on the worker pool: some texts block every known tokenizer for minutes. */
export class TokenCounter {
  readonly #pool: WorkerPool

  constructor(pool: WorkerPool) {
    this.#pool = pool
  }

  /** @param account the owner of the texts. */
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

/** Counts the tokens of several texts, as closely as possible without their vendor. */
export async function countTexts(
  counter: AccountCounter,
  texts: readonly string[],
): Promise<number> {
  // A space becomes part of a word's token; a line break is a token itself.
  const text = texts.join(" ")
  const counted = await counter.count(text)
  return counted ?? roughTokens(Buffer.byteLength(text))
}
