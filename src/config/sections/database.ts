import {
  databaseAddress,
  hostAddresses,
  isLocalHost,
  readDatabaseAddress,
} from "../../database-address.ts"
import type { ConfigProblem } from "../config-error.ts"
import { section, setting } from "../declare.ts"
import { valueAt } from "../places.ts"
import { Fault, reading, readingText, SECRET_TEXT, TEXT_OR_NUMBER } from "../reading.ts"
import { duration, durationOrOff, flag, oneOf, readSecret, wholeNumber } from "../scalars.ts"
import { DATABASE_SECRET, PLAIN_SECRET } from "../secret-forms.ts"

const MIN_SECRET_LENGTH = 32

/**
 * Default lease terms in milliseconds. With a journal, a database outage does not affect callers until leases end.
 * Without a journal, long leases would only delay other nodes.
 */
const LEASE_TERMS = { database: 15_000, journal: 60_000 }
const MIN_LEASE_TERM = 5_000
const MAX_LEASE_TERM = 600_000

/**
 * The place where a charge is written before the last byte of its response is sent: the database, or the node's own
 * disk.
 */
const SETTLE_MODES = ["database", "journal"] as const

/** The values of libpq's `sslmode`, which configures encryption in PostgreSQL clients. */
const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
const VERIFYING = new Set(["verify-ca", "verify-full"])

/**
 * The host selection modes of clients that support several hosts. The gateway writes, so it always selects writable
 * hosts.
 */
const CHOICES = ["any", "read-write", "primary"]

const ADDRESS_FAULTS = {
  not_an_address: "must be an address such as postgres://user:password@host:5432/tollgate",
  not_encoded:
    "cannot be read: the user name and the password in it must be percent-encoded. " +
    "Write / as %2F, # as %23, ? as %3F, @ as %40, : as %3A and % as %25",
  wrong_port: "has a port that is not a number from 1 to 65535",
  quoted: "contains the quotes around the address. Remove them",
}

/** A PostgreSQL database; if undefined, SQLite in the data folder. */
export const DATABASE = section(
  "database",
  {
    /** The address of the database. Never printed. */
    url: setting(readingText(readUrl, SECRET_TEXT), {
      environment: "TOLLGATE_DATABASE_URL",
      needsRestart: true,
      secret: DATABASE_SECRET,
      otherwise: "SQLite in the data folder",
      documentation:
        "a PostgreSQL database for nodes on several machines: `postgres://user:password@host/name?sslmode=verify-full`, with a percent-encoded password and one or [several hosts](../run/postgresql.md#several-database-hosts)",
    }),
    connections: setting(wholeNumber(2, 200), {
      needsRestart: true,
      default: "10",
      documentation:
        "maximum connections of each process, in addition to one that listens for changes",
    }),
    /** Whether the database may be used over a network without verifying the server's identity. */
    allowInsecure: setting(flag(), {
      needsRestart: true,
      default: "false",
      documentation: "allows a connection over a network without verifying the database's identity",
    }),
    preparedStatements: setting(flag(), {
      needsRestart: true,
      default: "true",
      documentation:
        "`false` disables prepared statements, for poolers in transaction mode that do not support them (PgBouncer before 1.21)",
    }),
    /** The secret for deriving the keys that hash callers' keys and encrypt stored secrets. Never printed. */
    secret: setting(readingText(readDatabaseSecret, SECRET_TEXT), {
      environment: "TOLLGATE_SECRET",
      needsRestart: true,
      secret: PLAIN_SECRET,
      otherwise: "a generated secret in the database",
      documentation:
        "callers' keys are hashed and stored credentials encrypted with keys derived from it: at least 32 characters, the same on all nodes, set before the first start. Only with PostgreSQL",
    }),
    settle: setting(oneOf(SETTLE_MODES, "way to settle"), {
      environment: "TOLLGATE_SETTLE",
      needsRestart: true,
      default: "database",
      documentation:
        "storage of a charge before the last byte of its response is sent: the `database`, or first the node's own `journal` ([the journal](../run/journal.md)). Only with PostgreSQL",
    }),
    /** Maximum time that the last byte of a response waits for the database, in milliseconds. */
    settleTimeout: setting(durationOrOff(), {
      needsRestart: true,
      default: "10s",
      documentation: "how long the last byte of a response waits for the database",
    }),
    /** Lifetime of leases after the last contact of their node, in milliseconds. */
    leaseTerm: setting(reading(readLeaseTerm, TEXT_OR_NUMBER), {
      needsRestart: true,
      otherwise: "15s, with a journal 60s",
      documentation:
        "how long a node may spend from its leases after the database was last reached, between 5s and 10m; leases of a dead node expire after this time",
    }),
  },
  {
    build({ url, leaseTerm, ...values }) {
      if (url === undefined) return undefined
      return { ...values, url, leaseTerm: leaseTerm ?? LEASE_TERMS[values.settle] }
    },
  },
)

export type DatabaseSettings = NonNullable<ReturnType<typeof DATABASE.build>>

/** Reads the address of a PostgreSQL database, which may have several hosts. */
function readUrl(text: string): string | Fault {
  const address = readDatabaseAddress(text.trim())
  if (typeof address === "string") return new Fault(ADDRESS_FAULTS[address])
  const { database, parameters } = address
  if (database.length < 2) return new Fault("names no database: end it with /tollgate")
  const mode = parameters.get("sslmode")
  if (mode !== null && !SSL_MODES.includes(mode)) {
    return new Fault(`has an unknown sslmode. Known: ${SSL_MODES.join(", ")}`)
  }
  const choice = parameters.get("target_session_attrs")
  if (choice !== null && !CHOICES.includes(choice)) {
    return new Fault("requests a read-only server. Set target_session_attrs=read-write")
  }
  if (hostAddresses(text.trim()).some((host) => !URL.canParse(host))) {
    return new Fault(ADDRESS_FAULTS.not_an_address)
  }
  return text.trim()
}

function readDatabaseSecret(text: string): string | Fault {
  const secret = readSecret(text)
  if (secret instanceof Fault || secret.length >= MIN_SECRET_LENGTH) return secret
  return new Fault(`must have at least ${MIN_SECRET_LENGTH} characters: openssl rand -hex 32`)
}

const leaseLength = duration()

function readLeaseTerm(input: unknown): number | Fault {
  const length = leaseLength.readOne(input)
  if (length instanceof Fault) return length
  const isPossible = length >= MIN_LEASE_TERM && length <= MAX_LEASE_TERM
  return isPossible ? length : new Fault("must be between 5s and 10m")
}

/**
 * Rejects a journal if there is no PostgreSQL database to post to.
 * @param file the content of the file.
 * @param overrides values from the environment, by the name of the setting.
 */
export function strayJournal(
  file: Readonly<Record<string, unknown>>,
  overrides: Readonly<Record<string, unknown>>,
): ConfigProblem | undefined {
  const settle = overrides["database.settle"] ?? valueAt(file, ["database", "settle"])
  const url = overrides["database.url"] ?? valueAt(file, ["database", "url"])
  if (settle !== "journal" || url !== undefined) return undefined
  return {
    path: overrides["database.settle"] === undefined ? "database.settle" : "TOLLGATE_SETTLE",
    message:
      "is for a PostgreSQL database, and database.url is not set: SQLite is on the node's own disk already",
  }
}

/**
 * Rejects a database whose connections could be read and changed in transit.
 * @param path the path of the setting with the address.
 */
export function insecureDatabase(
  settings: DatabaseSettings | undefined,
  path: string,
): ConfigProblem | undefined {
  if (settings === undefined || settings.allowInsecure) return undefined
  const { hosts, parameters } = databaseAddress(settings.url)
  const remote = hosts.find((host) => !isLocalHost(host))
  if (remote === undefined || isVerified(parameters)) return undefined
  return {
    path,
    message:
      `connects to ${remote} over a network without verifying the server. ` +
      "Add ?sslmode=verify-full (and &sslrootcert=/path/ca.pem if your own authority signed its certificate), or set database.allow_insecure: true",
  }
}

function isVerified(parameters: URLSearchParams): boolean {
  return VERIFYING.has(parameters.get("sslmode") ?? "") || parameters.has("sslrootcert")
}
