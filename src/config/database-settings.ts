import {
  databaseAddress,
  hostAddresses,
  isLocalHost,
  readDatabaseAddress,
} from "../database-address.ts"
import type { ConfigProblem } from "./config-error.ts"
import {
  duration,
  durationOrOff,
  Fault,
  flag,
  number,
  oneOf,
  readSecret,
  readText,
  reading,
} from "./scalars.ts"
import type { DatabaseSettings, SettleMode } from "./settings.ts"

const CONNECTIONS = 10
const SHORTEST_SECRET = 32
const PATIENCE = 10_000

/** With a journal, an outage stops nobody before leases end; without, they only keep others waiting. Milliseconds. */
const LEASE_TERMS = { database: 15_000, journal: 60_000 }
const SHORTEST_TERM = 5_000
const LONGEST_TERM = 600_000

const SETTLE = ["database", "journal"] as const

/** How PostgreSQL's clients write whether and how to encrypt: libpq's `sslmode`. */
const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
const VERIFYING = new Set(["verify-ca", "verify-full"])

/** Which of several hosts a client may choose: the gateway writes, so it takes no others. */
const CHOICES = ["any", "read-write", "primary"]

const ADDRESS_FAULTS = {
  not_an_address: "must be an address such as postgres://user:password@host:5432/tollgate",
  not_encoded:
    "cannot be read: the user name and the password in it have to be percent-encoded. " +
    "Write / as %2F, # as %23, ? as %3F, @ as %40, : as %3A and % as %25",
}

/** The address of a PostgreSQL database, of which several hosts may be given. */
export function databaseUrl() {
  return reading((input) => {
    const text = readText(input)
    if (text instanceof Fault) return text
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
      return new Fault(
        "asks for a server that cannot be written. Write target_session_attrs=read-write",
      )
    }
    if (hostAddresses(text.trim()).some((host) => !URL.canParse(host))) {
      return new Fault(ADDRESS_FAULTS.not_an_address)
    }
    return text.trim()
  })
}

/** A secret that all nodes share. */
export function databaseSecret() {
  return reading((input) => {
    const text = readText(input)
    const secret = text instanceof Fault ? text : readSecret(text)
    if (secret instanceof Fault || secret.length >= SHORTEST_SECRET) return secret
    return new Fault(`must have at least ${SHORTEST_SECRET} characters: openssl rand -hex 32`)
  })
}

/** Where a charge has to be written before the last byte of its answer leaves. */
export function settleMode() {
  return oneOf(SETTLE, "way to settle")
}

/** How long leases last. */
function leaseTerm() {
  const length = duration()
  return reading((input) => {
    const { data, error } = length.safeParse(input)
    if (data === undefined) return new Fault(error?.issues[0]?.message ?? "is no length of time")
    const isPossible = data >= SHORTEST_TERM && data <= LONGEST_TERM
    return isPossible ? data : new Fault("must be between 5s and 10m")
  })
}

/** The names under `database` in the file. */
export const databaseScalars = {
  url: databaseUrl().optional(),
  connections: number(2, 200, "whole number").optional(),
  allow_insecure: flag().optional(),
  prepared_statements: flag().optional(),
  secret: databaseSecret().optional(),
  settle: settleMode().optional(),
  patience: durationOrOff().optional(),
  lease_term: leaseTerm().optional(),
}

/** What the file says of the database. */
export interface DatabaseSection {
  readonly url?: string | undefined
  readonly connections?: number | undefined
  readonly allow_insecure?: boolean | undefined
  readonly prepared_statements?: boolean | undefined
  readonly secret?: string | undefined
  readonly settle?: SettleMode | undefined
  readonly patience?: number | undefined
  readonly lease_term?: number | undefined
}

/** What the environment says of it, which wins. */
export interface DatabaseOverrides {
  readonly databaseUrl?: string
  readonly databaseSecret?: string
  readonly databaseSettle?: SettleMode
}

/** Undefined: SQLite, in the data folder. */
export function databaseSettings(
  section: DatabaseSection | null | undefined,
  overrides: DatabaseOverrides,
): DatabaseSettings | undefined {
  const url = overrides.databaseUrl ?? section?.url
  if (url === undefined) return undefined
  const secret = overrides.databaseSecret ?? section?.secret
  const settle = overrides.databaseSettle ?? section?.settle ?? "database"
  return {
    url,
    connections: section?.connections ?? CONNECTIONS,
    preparedStatements: section?.prepared_statements ?? true,
    allowInsecure: section?.allow_insecure ?? false,
    settle,
    leaseTerm: section?.lease_term ?? LEASE_TERMS[settle],
    patience: section?.patience ?? PATIENCE,
    ...(secret === undefined ? {} : { secret }),
  }
}

/** What is wrong with a journal that has no database to post to. */
export function strayJournal(
  section: DatabaseSection | null | undefined,
  overrides: DatabaseOverrides,
): ConfigProblem | undefined {
  const isSetHere = overrides.databaseSettle !== undefined
  const settle = overrides.databaseSettle ?? section?.settle
  const url = overrides.databaseUrl ?? section?.url
  if (settle !== "journal" || url !== undefined) return undefined
  return {
    path: isSetHere ? "TOLLGATE_SETTLE" : "database.settle",
    message:
      "is for a PostgreSQL database, and database.url is not set: SQLite is on the node's own disk already",
  }
}

/**
 * Why a database must not be used as it is set: whoever is on the way could read and change the ledger.
 * @param path where its address was set.
 */
export function insecureDatabase(
  settings: DatabaseSettings | undefined,
  path: string,
): ConfigProblem | undefined {
  if (settings === undefined || settings.allowInsecure) return undefined
  const { hosts, parameters } = databaseAddress(settings.url)
  if (hosts.every(isLocalHost) || isVerified(parameters)) return undefined
  return {
    path,
    message:
      "leads over a network without verifying the server. Add ?sslmode=verify-full (and &sslrootcert=/path/ca.pem " +
      "where its certificate is signed by your own authority), or set database.allow_insecure: true",
  }
}

function isVerified(parameters: URLSearchParams): boolean {
  return VERIFYING.has(parameters.get("sslmode") ?? "") || parameters.has("sslrootcert")
}
