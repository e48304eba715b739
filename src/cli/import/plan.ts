import type { AccountChange } from "tollgate-contract/accounts.ts"
import type { NewKey } from "tollgate-contract/keys.ts"
import type { ForeignSecret } from "../../management/keys.ts"

/** What becomes of something of the other gateway. */
export type Fate = "carried" | "changed" | "left out" | "to decide"

/** A line of the page of differences. It never has a secret. */
export interface Difference {
  readonly fate: Fate
  /** What it is about, in the other gateway's words: `model gpt-4o`, `key alice`. */
  readonly subject: string
  readonly words: string
}

export interface PlannedKey {
  /** Made from where it came from: the same each time. */
  readonly id: string
  readonly input: Omit<NewKey, "account">
  /** Undefined where nobody knows it: the key gets a new one. */
  readonly secret: ForeignSecret | undefined
  readonly isPaused: boolean
}

export interface PlannedAccount {
  readonly name: string
  readonly limits: Omit<AccountChange, "name" | "stores_content" | "state">
  readonly isPaused: boolean
  /** Nanocredits that it begins with. */
  readonly credits: bigint
  /** Stands in the ledger with them, and is the mark that they were given. */
  readonly note: string
  readonly keys: readonly PlannedKey[]
}

/** What an import would write. */
export interface ImportPlan {
  /** The settings file, as data. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Secrets that stood in the other gateway's files, by the variable that the settings name. */
  readonly variables: ReadonlyMap<string, string>
  readonly accounts: readonly PlannedAccount[]
  readonly differences: readonly Difference[]
}

/** Gathers the page of differences. */
export class Differences {
  readonly #found: Difference[] = []

  carried(subject: string, words: string): void {
    this.#found.push({ fate: "carried", subject, words })
  }

  changed(subject: string, words: string): void {
    this.#found.push({ fate: "changed", subject, words })
  }

  leftOut(subject: string, words: string): void {
    this.#found.push({ fate: "left out", subject, words })
  }

  toDecide(subject: string, words: string): void {
    this.#found.push({ fate: "to decide", subject, words })
  }

  get list(): readonly Difference[] {
    return this.#found
  }
}

/** An id for something that came from elsewhere, the same each time: running an import twice changes nothing. */
export function importedId(prefix: "key", origin: string): string {
  const digest = new Bun.CryptoHasher("sha256").update(origin).digest("hex")
  return `${prefix}_${digest.slice(0, 24)}`
}
