import { DAY_MS, HOUR_MS, MINUTE_MS } from "#contract/durations.ts"
import { section, setting } from "../declare.ts"
import { parseDuration, writeDuration } from "../duration.ts"
import { Fault, readNumberText, reading, readText, TEXT_OR_OFF } from "../reading.ts"
import { durationOrOff, megabytes, writeMegabytes } from "../scalars.ts"

/**
 * Minimum retention. Newer receipts may still be needed for monthly budgets, repeated requests and journals that are
 * posted late.
 */
const MIN_RECEIPT_RETENTION_MS = 62 * DAY_MS
const MAX_RETENTION_MS = 100 * 365 * DAY_MS
const MAX_BACKUP_INTERVAL_MS = 366 * DAY_MS
const MAX_STORED_MEGABYTES = 1_048_576

/** Limits on stored responses to requests with an idempotency key, in bytes. */
export const IDEMPOTENCY = section("idempotency", {
  /** Maximum size of a stored response. */
  responseBytes: setting(megabytes(0, 1_024), {
    name: "response_mb",
    default: "32",
    documentation:
      "the largest response to a request with an `Idempotency-Key` that is stored, for 24 hours. With 0 no response is stored, and each request is still charged once",
  }),
  accountBytes: setting(megabytes(0, MAX_STORED_MEGABYTES), {
    name: "account_mb",
    default: "512",
    documentation: "maximum size of these responses per account; the oldest are deleted first",
  }),
  totalBytes: setting(megabytes(0, MAX_STORED_MEGABYTES), {
    name: "total_mb",
    default: "4096",
    documentation: "maximum total size of these responses; the oldest are deleted first",
  }),
})

export type IdempotencySettings = ReturnType<typeof IDEMPOTENCY.build>

/** Limits on stored responses that callers can continue from. */
export const CONVERSATIONS = section("responses", {
  /** Retention of stored responses in milliseconds; 0 if they are not stored. */
  keep: setting(durationOrOff(), {
    default: "24h",
    documentation:
      "how long responses of `/v1/responses` are stored, so that callers can continue from them; `off` disables storage ([conversations](../use/conversations.md))",
    console: {
      label: "How long responses are kept",
      help: "How long callers can continue from a stored response, at most 24h. 'off' disables storage and deletes all stored responses.",
      write: (length) => (length === 0 ? "off" : writeDuration(length)),
    },
  }),
  accountBytes: setting(megabytes(0, MAX_STORED_MEGABYTES), {
    name: "account_mb",
    default: "256",
    documentation: "maximum size of these responses per account; the oldest are deleted first",
    console: {
      label: "Kept responses of an account, MB",
      help: "How much is stored for one account; its oldest responses are deleted first.",
      write: writeMegabytes,
    },
  }),
  totalBytes: setting(megabytes(0, MAX_STORED_MEGABYTES), {
    name: "total_mb",
    default: "4096",
    documentation: "maximum total size of these responses",
    console: {
      label: "Kept responses of all accounts, MB",
      help: "How much is stored in total; the oldest responses of the account with the most are deleted first.",
      write: writeMegabytes,
    },
  }),
})

export type ConversationSettings = ReturnType<typeof CONVERSATIONS.build>

/** Retention periods in milliseconds. */
export const RETENTION = section(
  "retention",
  {
    contents: setting(keepingTime(HOUR_MS, "30d"), {
      default: "30d",
      documentation: "how long prompts and responses are stored, for accounts with storage enabled",
    }),
    receipts: setting(keepingTime(MIN_RECEIPT_RETENTION_MS, "400d"), {
      otherwise: "forever",
      documentation:
        "how long receipts and the ledger's entries are kept, at least `62d`, by whole months: with `400d`, everything older than the beginning of the month 400 days ago is removed ([retention](../run/data.md#retention))",
    }),
  },
  { build: ({ contents, receipts = null }) => ({ contents, receipts }) },
)

export type RetentionSettings = ReturnType<typeof RETENTION.build>

/** Monitoring of backups. */
export const BACKUP = section(
  "backup",
  {
    every: setting(reading(readBackupInterval, TEXT_OR_OFF), {
      otherwise: "the interval of the last backup",
      documentation:
        "maximum time between [backups](../run/backup.md) before `doctor` and a [notice](../run/notices.md) report that a backup is overdue; `off`: no reports",
    }),
  },
  { build: ({ every = null }) => ({ every }) },
)

/**
 * `every` is the number of milliseconds until the next backup is due. If it is null, the interval of the last backup
 * applies. If it is `off`, backups are not monitored.
 */
export type BackupSettings = ReturnType<typeof BACKUP.build>

/** Reads a duration. A number without a unit counts days instead of seconds. */
function keepingTime(shortest: number, example: string) {
  return reading((input) => {
    const text = readNumberText(input)
    if (text instanceof Fault) return text
    const length = parseDuration(text)
    const isPossible = length !== undefined && length >= shortest && length <= MAX_RETENTION_MS
    return isPossible
      ? length
      : new Fault(
          `must be a length of time such as ${example}, at least ${shortest < DAY_MS ? `${shortest / HOUR_MS}h` : `${shortest / DAY_MS}d`}`,
        )
  })
}

function readBackupInterval(input: unknown): number | "off" | Fault {
  const text = input === false ? "off" : readText(input)
  if (text instanceof Fault) return text
  if (text === "off") return text
  const length = parseDuration(text)
  if (length !== undefined && length >= MINUTE_MS && length <= MAX_BACKUP_INTERVAL_MS) return length
  return new Fault("must be a length of time such as 6h or 7d, from 1m to 366d, or off")
}
