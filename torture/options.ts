import { parseArgs } from "node:util"
import { SQLITE, type TortureEngine } from "./engines.ts"
import { POSTGRESQL, POSTGRESQL_JOURNAL } from "./postgresql.ts"
import type { TortureOptions } from "./torture.ts"

export const ENGINES: readonly TortureEngine[] = [SQLITE, POSTGRESQL, POSTGRESQL_JOURNAL]

/** The output of `--help`. */
export const USAGE = `usage: npm run torture -- [options]

Plays faults on serving nodes, then compares the records of callers and the vendor with the ledger.

  --engine NAME     sqlite (the default), postgresql or postgresql-journal
  --minutes N       how long faults are played (2)
  --nodes N         how many serve from one database (3)
  --callers N       how many call at the same time (12)
  --seed N          the same seed plays the same faults
  --no-disk         the disk does not fill up; without root it never does
  --help            this text
`

export interface CommandLine extends TortureOptions {
  readonly isHelp: boolean
}

/** Parses the command line. @throws Error with a message for the user. */
export function readOptions(words: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...words],
    options: {
      engine: { type: "string", default: "sqlite" },
      minutes: { type: "string", default: "2" },
      nodes: { type: "string", default: "3" },
      callers: { type: "string", default: "12" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      "no-disk": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  })
  const engine = ENGINES.find(({ name }) => name === values.engine)
  if (!engine) throw new Error(`there is no engine '${values.engine}'`)
  return {
    isHelp: values.help,
    engine,
    seconds: Math.round(positive("--minutes", values.minutes) * 60),
    nodes: Math.round(positive("--nodes", values.nodes)),
    callers: Math.round(positive("--callers", values.callers)),
    seed: Math.round(positive("--seed", values.seed)),
    fillsDisk: !values["no-disk"],
  }
}

function positive(name: string, text: string): number {
  const number = Number(text)
  if (number > 0 && Number.isFinite(number)) return number
  throw new Error(`${name} needs a number above zero`)
}
