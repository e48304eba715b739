import type { AuditRecord, EntryRecord } from "../../accounting/chained-records.ts"
import {
  type RecordedRedaction,
  type Redaction,
  redactionOfAudit,
  redactionOfEntry,
  summarizeRedactions,
} from "../../accounting/redaction.ts"
import type { StoreReader } from "../../store/store.ts"

/** Records from which the names of erased people were removed. Their own hashes still cover the original content. */
export class Redactions {
  readonly #byRecord = new Map<number, RecordedRedaction[]>()
  readonly #hashes: ReadonlySet<string>
  readonly count: number

  constructor(redactions: readonly RecordedRedaction[]) {
    for (const redaction of redactions) {
      const others = this.#byRecord.get(redaction.record)
      if (others) others.push(redaction)
      else this.#byRecord.set(redaction.record, [redaction])
    }
    this.count = redactions.length
    this.#hashes = new Set(redactions.map(nameOf))
  }

  static async read({ personKeys }: Pick<StoreReader, "personKeys">): Promise<Redactions> {
    return new Redactions(await personKeys.redactions())
  }

  hasAudit(record: AuditRecord): boolean {
    return this.#hashes.size > 0 && this.#hashes.has(nameOf(redactionOfAudit(record)))
  }

  hasEntry(entry: EntryRecord): boolean {
    return this.#hashes.size > 0 && this.#hashes.has(nameOf(redactionOfEntry(entry)))
  }

  /** Whether an audit record authorizes exactly the redactions that refer to it. */
  areThoseOf({ number, action, after }: AuditRecord): boolean {
    const own = this.#byRecord.get(number) ?? []
    if (action !== "user.erase") return own.length === 0
    const { redacted } = JSON.parse(after ?? "{}") as { redacted?: { hash?: string } }
    return redacted?.hash === summarizeRedactions(own).hash
  }
}

function nameOf({ account, number, hash }: Redaction): string {
  return `${account ?? ""}:${number}:${hash}`
}
