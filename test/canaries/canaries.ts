import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { DATABASE_SECRETS, ObservedDatabase } from "./database.ts"
import { Observation } from "./observation.ts"
import * as planted from "./planted.ts"
import { type Canary, findCanaries, type Output } from "./search.ts"

/** Matches that are not leaks, with a reason. */
interface Exception {
  readonly outputs: RegExp
  /** Names of the canaries. */
  readonly canaries: readonly string[]
  readonly why: string
}

/** The required outputs. A new observer needs a line here, and its settings in `settings.ts`. */
const EVERYWHERE = [
  "standard output",
  "log",
  "mail",
  "notice",
  "rejected notice",
  "sink",
  "GET /metrics",
  "GET /audit",
  "GET /audit in the console",
  "OTLP /v1/traces",
  "OTLP /v1/metrics",
  /^bucket .*\.jsonl\.gz$/,
  "data/lines/requests.jsonl",
  "tollgate doctor",
  "data/exported/lines/receipts.jsonl",
  "data/exported/lines/settings.json",
  "data/exported/cells/members.csv",
]
const ENGINES = {
  SQLite: {
    start: () => undefined,
    places: [
      /^data\/tollgate\.db, table /,
      "data/failures.db, table failed_requests",
      "data/console.db",
      "data/conversations.db",
      /^data\/responses\//,
      /^data\/copies\/.*\/tollgate\.db$/,
    ],
  },
  PostgreSQL: {
    start: () => ObservedDatabase.start(),
    places: [
      "database, table public.conversation_parts",
      "database, table public.failed_requests",
      "database, table public.idempotency",
      "database, table public.kept_file_chunks",
      "database, table public.receipts",
      "database, table public.second_factors",
    ],
  },
}

function namesOf(canaries: readonly Canary[]): string[] {
  return canaries.map(({ name }) => name)
}

/** Outputs in which canaries may occur. */
const EXCEPTIONS: readonly Exception[] = [
  {
    outputs: /^data\/(tollgate|copies\/[^/]+\/settings)\.yaml$/,
    canaries: [...namesOf(planted.OPERATORS), ...Object.values(DATABASE_SECRETS)],
    why: "the settings as the operator wrote them, and their copy in a backup (docs/run/backup.md)",
  },
  {
    outputs: /^data\/failures\.db(-wal)?$|, table (public\.)?failed_attempts$|, attempts$/,
    canaries: namesOf(planted.CONTENTS),
    why: "a vendor's own words, which may quote the request (docs/run/request-log.md)",
  },
]

function isExpected(output: Output, { name }: Canary): boolean {
  return EXCEPTIONS.some((one) => one.outputs.test(output.name) && one.canaries.includes(name))
}

function leaks(searched: readonly Output[], canaries: readonly Canary[]): string[] {
  const found = searched.flatMap((output) => {
    const unexpected = canaries.filter((canary) => !isExpected(output, canary))
    return findCanaries(output, unexpected)
  })
  return [...new Set(found)]
}

/** Plants secrets in a gateway with the given engine, and searches everything that the gateway writes and returns. */
export function testCanaries(engine: keyof typeof ENGINES): void {
  describe(`secrets and prompts with ${engine}`, () => search(ENGINES[engine]))
}

function search({ start, places: own }: (typeof ENGINES)[keyof typeof ENGINES]): void {
  let database: ObservedDatabase | undefined
  let seen: Observation

  beforeAll(async () => {
    database = await start()
    seen = await Observation.make(database)
  })

  afterAll(async () => {
    await seen[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  test("no output contains a secret", () => {
    expect(leaks(seen.outputs, [...planted.OPERATORS, ...seen.own])).toEqual([])
  })

  test("no output contains a prompt or a response", () => {
    expect(leaks(seen.outputs, planted.CONTENTS)).toEqual([])
  })

  test("no response contains a secret", () => {
    expect(leaks(seen.responses, [...planted.OPERATORS, ...seen.own])).toEqual([])
  })

  test.each([...EVERYWHERE, ...own])("the search covers %s", (wanted) => {
    const found = seen.outputs.filter(({ name }) =>
      typeof wanted === "string" ? name === wanted : wanted.test(name),
    )
    expect(found.reduce((bytes, output) => bytes + output.bytes.length, 0)).toBeGreaterThan(0)
  })

  test("the search covers every page", () => {
    const failed = seen.outputs
      .filter(({ name }) => /^GET \/(?!receipts\/|requests\/)/.test(name))
      .filter(({ bytes }) => !Buffer.from(bytes).toString().startsWith("200"))
    expect(failed.map(({ name }) => name)).toEqual([])
  })

  test("the planted values reach their expected locations", () => {
    const text = seen.places.simulator.requests.map((request) => JSON.stringify(request)).join()
    expect(text).toContain(planted.PROMPT)
    for (const { name, text: secret } of seen.own)
      expect([name, secret.length > 8]).toEqual([name, true])
    const records = seen.outputs.filter(({ name }) => name.endsWith(", attempts"))
    expect(records.some(({ bytes }) => Buffer.from(bytes).includes("[redacted]"))).toBe(true)
    const words = Buffer.concat(seen.responses.map(({ bytes }) => bytes))
    for (const known of [
      "[redacted]",
      "sk-tg-…",
      "sk-proj-…",
      planted.RESPONSE,
      planted.ARGUMENTS,
    ]) {
      expect(words.includes(known)).toBe(true)
    }
  })

  test.each(EXCEPTIONS.map((one) => [one.why, one] as const))(
    "the search finds expected secrets in allowed outputs: %s",
    (_, { outputs: searchable, canaries }) => {
      const searched = seen.outputs.filter(({ name }) => searchable.test(name))
      const all = [...planted.OPERATORS, ...planted.CONTENTS, ...seen.own]
      const wanted = all.filter(({ name }) => canaries.includes(name))
      expect(searched.flatMap((output) => findCanaries(output, wanted))).not.toEqual([])
    },
  )
}
